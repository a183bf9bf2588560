//! The builder's options for the runtime's threads: their names, stacks and number.

use std::sync::Arc;
use std::time::Duration;

use super::builder::Builder;

impl Builder {
    /// Names the runtime's threads. The default is `wsrt-machine`.
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

    /// Names each of the runtime's threads with the value that `name` returns when it is started.
    ///
    /// If `name` panics, or returns a name with a NUL in it, the thread is not started, as if the
    /// system had refused it. `name` must not wait for tasks of the runtime, which may need this
    /// thread: `block_on` of the runtime panics inside it.
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

    /// Sets the stack size of the runtime's threads, in bytes. The default is std's, 2 MiB. A size
    /// below the system's minimum means the minimum; [`build`](Self::build) returns an error for
    /// one that the system has no room for.
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

    /// Limits the threads that run blocking jobs. The default is 512. Further jobs wait in an
    /// unbounded queue.
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

    /// Sets for how long a thread that is not needed waits for work before it ends. The default is
    /// 10 seconds. It applies to the threads of blocking jobs, and to threads that run tasks beyond
    /// the number of processors. With [`Duration::MAX`] they never end.
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
