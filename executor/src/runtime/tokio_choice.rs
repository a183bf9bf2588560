//! Feature `tokio-compat`: the builder's choice of the tokio runtime that wsrt's threads enter.

use crate::runtime::Builder;
use crate::tokio_compat::Choice;

impl Builder {
    /// Sets the number of threads of the tokio runtime in the background, which feature
    /// `tokio-compat` brings along.
    ///
    /// The default is 2: one task of tokio's that blocks its thread does not stop all others, two
    /// do. They are tokio's, and no processors of wsrt's replace them. A thread that is not
    /// used sleeps. It takes back a [`tokio_handle`](Self::tokio_handle).
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

    /// Makes the runtime's threads enter an existing tokio runtime, instead of starting one.
    ///
    /// So a tokio program can move to wsrt piece by piece: what runs on wsrt shares the program's
    /// tokio sockets, pools and timers. Or the program builds a tokio runtime with options of its
    /// own (threads, stacks, a limit on blocking jobs, hooks), and lends it.
    ///
    /// wsrt does not end a tokio runtime that was lent.
    ///
    /// # Not guaranteed
    ///
    /// Code on the tokio runtime's threads is not inside wsrt: there, spawn by a
    /// [`Handle`](crate::runtime::Handle), or [`enter`](crate::runtime::Handle::enter) one. And
    /// tokio's types no longer work once the tokio runtime has ended: they return errors, or panic.
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
