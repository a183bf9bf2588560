//! Changing the number of processors while a runtime runs.

use std::io;

use crate::runtime::{Handle, Runtime, RuntimeFlavor};

impl Runtime {
    /// Changes the number of processors of this runtime. [`Handle::resize`] has the details.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Handle::resize`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(4).build()?;
    /// runtime.resize(2)?;
    /// assert_eq!(runtime.metrics().num_workers(), 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn resize(&self, processors: usize) -> io::Result<()> {
        self.handle().resize(processors)
    }
}

impl Handle {
    /// Changes the number of processors of this runtime, like Go's `GOMAXPROCS(n)`. It can be
    /// called on any thread and any number of times. A task in the middle of a poll is not moved.
    ///
    /// When the number falls, idle processors are removed at once, and busy processors when their
    /// current polls return. The tasks and timers of a removed processor move to the remaining
    /// processors. No task is lost or polled twice. When the number rises, the new processors take
    /// waiting tasks. Spare processors are not counted: even after `resize(1)`, a spare processor
    /// takes over while a task blocks. The threads of removed processors exit after the [keep-alive
    /// time](crate::runtime::Builder::thread_keep_alive).
    ///
    /// After this call, the runtime no longer follows the CPU quota of the process's control group
    /// ([`Builder::follow_cpu_quota`](crate::runtime::Builder::follow_cpu_quota)). After the
    /// runtime has shut down, the call returns `Ok` and has no effect.
    ///
    /// There is no limit on how long a busy processor takes to go away, because a poll can take any
    /// time. A parallel call that has begun may keep its helpers until they are needed elsewhere.
    ///
    /// # Errors
    ///
    /// Returns an error of kind `InvalidInput` if `processors` is zero, or more than the runtime
    /// has room for: the larger of [`Builder::max_machines`](crate::runtime::Builder::max_machines)
    /// and the number of processors with which the runtime was built. Returns an error of kind
    /// `Unsupported` on a current-thread runtime, which always has one processor.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_multi_thread().worker_threads(4).build()?.block_on(async {
    /// let handle = wsrt::runtime::Handle::current();
    /// handle.resize(1)?;
    /// assert_eq!(handle.metrics().num_workers(), 1);
    /// // The tasks go on, one at a time.
    /// let tasks: Vec<_> = (0..100).map(|number| wsrt::spawn(async move { number })).collect();
    /// handle.resize(4)?;
    /// for (number, task) in tasks.into_iter().enumerate() {
    ///     assert_eq!(task.await?, number);
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn resize(&self, processors: usize) -> io::Result<()> {
        let scheduler = self.scheduler();
        if scheduler.config.flavor == RuntimeFlavor::CurrentThread {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "`resize({processors})`: a current-thread runtime has one processor, run by the thread in `block_on`"
                ),
            ));
        }
        let most = scheduler.processors.capacity();
        if processors == 0 || processors > most {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "`resize({processors})`: this runtime has from 1 to {most} processors (`Builder::max_machines` sets the most)"
                ),
            ));
        }
        scheduler.resize(processors);
        Ok(())
    }
}
