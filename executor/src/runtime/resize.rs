//! Resizing a runtime while it runs.

use std::io;

use crate::runtime::{Handle, Runtime, RuntimeFlavor};

impl Runtime {
    /// Changes how many processors run tasks: see [`Handle::resize`].
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
    /// Changes how many processors run tasks, as Go's `GOMAXPROCS(n)` does. It may be called from
    /// anywhere, any number of times, and moves no task that is in the middle of a poll.
    ///
    /// If the number falls, an idle processor goes at once, and a busy processor when its poll is
    /// over: its tasks and timers move to the others. No task is lost or polled twice. If the
    /// number rises, the new processors take waiting tasks. Spare processors are not counted: even
    /// with `resize(1)`, a blocked task is still covered by a spare. The threads of removed
    /// processors end after the [keep-alive time](crate::runtime::Builder::thread_keep_alive).
    ///
    /// A runtime that had its number from the control group's quota does not follow that any more:
    /// see [`Builder::follow_cpu_quota`](crate::runtime::Builder::follow_cpu_quota). After the end
    /// of the runtime the call succeeds, and has no effect.
    ///
    /// The processors above the new number go when their polls end, which can take any time. A
    /// parallel call that has begun may keep its helpers until they are needed elsewhere.
    ///
    /// # Errors
    ///
    /// Returns an error of kind `InvalidInput` that names the number if it is zero, or more than
    /// the runtime has room for: [`Builder::max_machines`](crate::runtime::Builder::max_machines),
    /// and the number with which it was built if that is more. Returns one of kind `Unsupported` on
    /// a current-thread runtime, which has one processor forever.
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
