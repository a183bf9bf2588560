//! Hooks: the user's functions that the runtime calls on its threads.

use std::sync::Arc;

use crate::runtime::Builder;
use crate::sysmon::stall::Stall;

impl Builder {
    /// Calls `hook` on each thread of the runtime when the thread starts, before it runs anything
    /// else. A panic in `hook` aborts the process.
    ///
    /// If `hook` owns a [`Handle`](crate::runtime::Handle) of this runtime, the runtime's memory
    /// and file descriptors are never freed, not even in a simulation.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_thread_start(|| println!("a thread begins"))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn on_thread_start(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_start = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` on each thread of the runtime before the thread exits. A panic in `hook` aborts
    /// the process.
    ///
    /// If `hook` owns a [`Handle`](crate::runtime::Handle) of this runtime, the runtime's memory
    /// and file descriptors are never freed, not even in a simulation.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_thread_stop(|| println!("a thread ends"))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn on_thread_stop(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_stop = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` on a thread that runs tasks each time the thread is about to sleep because
    /// there is nothing to run. On a current-thread runtime, `hook` is called on the thread in
    /// `block_on`. A panic in `hook` aborts the process.
    ///
    /// `hook` may wake and spawn tasks. The thread then stays awake to run them, unless another
    /// thread has taken them. Inside `hook`, [`Handle::current`](crate::runtime::Handle::current)
    /// returns a handle to the runtime. If `hook` owns such a handle, the runtime's memory and file
    /// descriptors are never freed, not even in a simulation.
    ///
    /// `hook` should not block, because its thread may poll the network. On a current-thread
    /// runtime, calling this runtime's `block_on` inside `hook` panics, which aborts the process.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    ///
    /// static PARKED: AtomicU64 = AtomicU64::new(0);
    ///
    /// let runtime = wsrt::runtime::Builder::new_current_thread()
    ///     .on_thread_park(|| _ = PARKED.fetch_add(1, Relaxed))
    ///     .build()?;
    /// while PARKED.load(Relaxed) == 0 {
    ///     runtime.block_on(wsrt::time::sleep(std::time::Duration::from_millis(1)));
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_thread_park(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_park = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` on a thread that runs tasks each time the thread wakes up, or finds work just
    /// before it would have slept. `hook` is called once for each call of the
    /// [`on_thread_park`](Self::on_thread_park) hook. A panic in `hook` aborts the process.
    ///
    /// If `hook` owns a [`Handle`](crate::runtime::Handle) of this runtime, the runtime's memory
    /// and file descriptors are never freed, not even in a simulation.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_thread_unpark(|| println!("a thread wakes"))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn on_thread_unpark(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.config.on_thread_unpark = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` for each poll that occupies its processor for longer than `WSRT_STALL_MS`
    /// milliseconds, while the poll is still running.
    ///
    /// `hook` runs on the watcher thread, so it must not block. A panic in `hook` aborts the
    /// process.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_stall(|stall| eprintln!("{stall}"))
    ///     .build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_stall(&mut self, hook: impl Fn(&Stall) + Send + Sync + 'static) -> &mut Self {
        self.config.on_stall = Some(Arc::new(hook));
        self
    }
}
