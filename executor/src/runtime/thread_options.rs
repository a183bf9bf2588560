//! Builder options for the runtime's threads: their names, stack sizes and limits.

use std::sync::Arc;
use std::time::Duration;

use super::builder::Builder;

impl Builder {
    /// Sets the name of the threads that the runtime starts. The default is `wsrt-machine`.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().thread_name("my-server").build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_name(&mut self, name: impl Into<String>) -> &mut Self {
        let name = name.into();
        self.thread_name_fn(move || name.clone())
    }

    /// Sets a function that names the runtime's threads. The runtime calls `name` each time it
    /// starts a thread, and gives the thread the returned name.
    ///
    /// If `name` panics, or returns a string that contains a NUL byte, the runtime does not start
    /// the thread, and continues as if the operating system had refused to create it.
    ///
    /// `name` must not wait for tasks of this runtime, because those tasks may need the new thread
    /// to run. Calling this runtime's `block_on` inside `name` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let number = AtomicUsize::new(0);
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .thread_name_fn(move || format!("server-{}", number.fetch_add(1, Ordering::Relaxed)))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_name_fn(&mut self, name: impl Fn() -> String + Send + Sync + 'static) -> &mut Self {
        self.config.thread_name = Arc::new(name);
        self
    }

    /// Sets the stack size, in bytes, of the threads that the runtime starts.
    ///
    /// The default is the standard library's default, 2 MiB. Sizes below the operating system's
    /// minimum are raised to the minimum. [`build`](Self::build) returns an error if the system has
    /// no room for stacks of this size.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().thread_stack_size(512 * 1024).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_stack_size(&mut self, bytes: usize) -> &mut Self {
        self.config.thread_stack_size = Some(bytes);
        self
    }

    /// Limits the number of threads that run blocking jobs. The default is 512. Jobs beyond the
    /// limit wait in an unbounded queue until a thread is free.
    ///
    /// # Panics
    ///
    /// Panics if `count` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().max_blocking_threads(16).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn max_blocking_threads(&mut self, count: usize) -> &mut Self {
        assert!(count > 0, "wsrt: `max_blocking_threads(0)`: blocking jobs, name lookups among them, need a thread");
        self.config.max_blocking_threads = count;
        self
    }

    /// Sets how long an idle thread waits for work before it exits. The default is 10 seconds.
    ///
    /// The time applies to threads of the blocking pool, to threads that run tasks beyond the
    /// number of processors, and to threads that run jobs of `rayon::spawn`. With
    /// [`Duration::MAX`], these threads never exit.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().thread_keep_alive(std::time::Duration::from_secs(60)).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_keep_alive(&mut self, duration: Duration) -> &mut Self {
        self.config.thread_keep_alive = duration;
        self
    }
}
