//! Hooks: functions of the user's that the runtime calls on its threads.

use std::sync::Arc;

use crate::runtime::Builder;
use crate::sysmon::stall::Stall;

impl Builder {
    /// Calls `hook` on each of the runtime's threads before it does anything else. A panic in it
    /// aborts the process.
    ///
    /// A [`Handle`](crate::runtime::Handle) that the hook owns keeps its runtime, a simulated one
    /// too: memory and descriptors are never given back.
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

    /// Calls `hook` on each of the runtime's threads before it ends. A panic in it aborts the
    /// process.
    ///
    /// A [`Handle`](crate::runtime::Handle) that the hook owns keeps its runtime, a simulated one
    /// too: memory and descriptors are never given back.
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

    /// Calls `hook` on each thread that runs tasks, whenever it is about to sleep because there is
    /// nothing to run. On a current-thread runtime that is the thread in `block_on`. A panic in the
    /// hook aborts the process.
    ///
    /// It may wake and spawn tasks: the thread does not sleep then, unless another has taken them.
    /// [`Handle::current`](crate::runtime::Handle::current) is a handle of the runtime there. One
    /// that the hook owns keeps its runtime, a simulated one too: memory and descriptors are never
    /// given back.
    ///
    /// It should not block, for it may be the thread that watches the network. `block_on` of the
    /// runtime itself panics in it where that is a current-thread runtime, which aborts.
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

    /// Calls `hook` on each thread that runs tasks, whenever it has slept, or was about to and
    /// found work: once for each call of [`on_thread_park`](Self::on_thread_park)'s. A panic in it
    /// aborts the process.
    ///
    /// A [`Handle`](crate::runtime::Handle) that the hook owns keeps its runtime, a simulated one
    /// too: memory and descriptors are never given back.
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

    /// Calls `hook` for each poll that has held its processor for longer than `WSRT_STALL_MS`
    /// milliseconds, while it still does. It runs on the watcher's thread, so that it must not
    /// block; a panic in it aborts the process.
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
