//! Builder options of feature `tokio-compat`: which tokio runtime wsrt's threads enter.

use crate::runtime::Builder;
use crate::tokio_compat::Choice;

impl Builder {
    /// Sets the number of worker threads of the background tokio runtime that the feature
    /// `tokio-compat` starts. The default is 2.
    ///
    /// With two threads, one tokio task that blocks its thread does not stop all other tokio tasks,
    /// but two blocking tasks do. The threads belong to tokio, and wsrt's spare processors do not
    /// replace threads that block. An unused thread sleeps. This option overrides an earlier
    /// [`tokio_handle`](Self::tokio_handle).
    ///
    /// # Panics
    ///
    /// Panics if `threads` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().tokio_threads(4).build()?;
    /// let workers = runtime.block_on(async { tokio::runtime::Handle::current().metrics().num_workers() });
    /// assert_eq!(workers, 4);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn tokio_threads(&mut self, threads: usize) -> &mut Self {
        assert!(threads > 0, "wsrt: `tokio_threads` has to be above zero");
        self.config.tokio = Choice::Own(threads);
        self
    }

    /// Makes the runtime's threads enter an existing tokio runtime, instead of starting another.
    ///
    /// With this option, a tokio program can move to wsrt step by step, because code that runs on
    /// wsrt shares the tokio sockets, pools and timers of the program. A program can also build a
    /// tokio runtime with its own options, such as the number of threads, their stack size, a limit
    /// on blocking jobs, or hooks, and pass the handle here.
    ///
    /// wsrt never shuts down a tokio runtime passed to this method.
    ///
    /// # Not guaranteed
    ///
    /// Code on the tokio runtime's threads is not inside the wsrt runtime. On these threads, spawn
    /// wsrt tasks through a [`Handle`](crate::runtime::Handle), or
    /// [`enter`](crate::runtime::Handle::enter) the wsrt runtime. After the tokio runtime has shut
    /// down, tokio's types no longer work: they return errors or panic.
    ///
    /// # Examples
    ///
    /// ```
    /// // The program as it is.
    /// let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    ///
    /// let wsrt = wsrt::runtime::Builder::new_multi_thread().tokio_handle(tokio.handle().clone()).build()?;
    /// let (sender, receiver) = tokio::sync::oneshot::channel();
    /// wsrt.spawn(async move {
    ///     // On wsrt, with the program's tokio at hand.
    ///     let id = tokio::spawn(async { tokio::runtime::Handle::current().id() }).await;
    ///     sender.send(id)
    /// });
    /// let id = tokio.block_on(receiver)??;
    /// assert_eq!(id, tokio.handle().id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokio_handle(&mut self, handle: tokio::runtime::Handle) -> &mut Self {
        self.config.tokio = Choice::Lent(handle);
        self
    }
}
