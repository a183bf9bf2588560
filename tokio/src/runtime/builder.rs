//! The builder of runtimes. As in tokio, and unlike in wsrt, I/O and timers are off unless enabled.

use std::io;
use std::time::Duration;

use wsrt::runtime::{LocalOptions, LocalRuntime};

use super::Runtime;

/// Configures and builds a [`Runtime`].
///
/// I/O and timers are disabled at first. Call [`enable_all`](Builder::enable_all) to enable both.
#[derive(Debug)]
pub struct Builder(pub(super) wsrt::runtime::Builder);

/// Methods that pass their argument on to wsrt's builder.
macro_rules! set {
    ($(#[$about:meta] $method:ident($value:ident: $type:ty);)*) => {$(
        #[$about]
        #[track_caller]
        pub fn $method(&mut self, $value: $type) -> &mut Self {
            self.0.$method($value);
            self
        }
    )*};
}

/// Methods that pass a function on to wsrt's builder.
macro_rules! hook {
    ($(#[$about:meta] $method:ident;)*) => {$(
        #[$about]
        pub fn $method<F>(&mut self, hook: F) -> &mut Self
        where
            F: Fn() + Send + Sync + 'static,
        {
            self.0.$method(hook);
            self
        }
    )*};
}

/// Gives access to the settings that only wsrt has: `builder.as_mut().on_stall(…)`.
impl AsMut<wsrt::runtime::Builder> for Builder {
    fn as_mut(&mut self) -> &mut wsrt::runtime::Builder {
        &mut self.0
    }
}

impl Builder {
    fn around(mut builder: wsrt::runtime::Builder) -> Self {
        builder.__without_drivers();
        Self(builder)
    }

    /// Creates a builder for a runtime that runs its tasks on the thread that calls `block_on`.
    pub fn new_current_thread() -> Self {
        Self::around(wsrt::runtime::Builder::new_current_thread())
    }

    /// Creates a builder for a runtime with several worker threads.
    #[cfg(feature = "rt-multi-thread")]
    pub fn new_multi_thread() -> Self {
        Self::around(wsrt::runtime::Builder::new_multi_thread())
    }

    /// Enables I/O and timers on the runtime.
    ///
    /// Calling this method is the same as calling `enable_io` and `enable_time`.
    pub fn enable_all(&mut self) -> &mut Self {
        self.0.enable_all();
        self
    }

    /// Enables sockets, child processes and signals on the runtime.
    #[cfg(any(feature = "net", all(unix, feature = "process"), all(unix, feature = "signal")))]
    pub fn enable_io(&mut self) -> &mut Self {
        self.0.enable_io();
        self
    }

    /// Enables timers on the runtime, so that tasks can use this crate's `time` module.
    #[cfg(feature = "time")]
    pub fn enable_time(&mut self) -> &mut Self {
        self.0.enable_time();
        self
    }

    set! {
        /// Sets the number of worker threads, that is, of tasks that can run at the same time.
        worker_threads(count: usize);
        /// Sets the maximum number of threads that run blocking jobs.
        max_blocking_threads(count: usize);
        /// Sets the runtime's name, which `Handle::name` returns. Names need not be unique.
        name(name: impl Into<String>);
        /// Sets the name that all threads of the runtime get.
        thread_name(name: impl Into<String>);
        /// Sets the stack size of the runtime's threads, in bytes.
        thread_stack_size(bytes: usize);
        /// Sets how long an idle thread for blocking jobs is kept before the thread ends.
        thread_keep_alive(duration: Duration);
        /// Sets the maximum number of polls between two checks of the global task queue.
        global_queue_interval(polls: u32);
        /// Sets the maximum number of polls between two checks for I/O events and due timers.
        event_interval(polls: u32);
    }

    #[cfg(any(feature = "net", all(unix, feature = "process"), all(unix, feature = "signal")))]
    set! {
        /// Sets the maximum number of I/O events that a worker takes in one check.
        max_io_events_per_tick(events: usize);
        /// Sets the maximum number of I/O events for a check that is made while tasks are ready.
        max_io_events_per_busy_tick(events: usize);
    }

    #[cfg(feature = "test-util")]
    set! {
        /// Starts the runtime with its clock paused if `start_paused` is `true`.
        start_paused(start_paused: bool);
    }

    /// Sets a function that returns the name of each thread of the runtime.
    pub fn thread_name_fn<F>(&mut self, name: F) -> &mut Self
    where
        F: Fn() -> String + Send + Sync + 'static,
    {
        self.0.thread_name_fn(name);
        self
    }

    hook! {
        /// Sets a function that each thread of the runtime calls when the thread starts.
        on_thread_start;
        /// Sets a function that each thread of the runtime calls before the thread ends.
        on_thread_stop;
        /// Sets a function that each worker thread calls before it goes to sleep.
        on_thread_park;
        /// Sets a function that each worker thread calls after it has woken up.
        on_thread_unpark;
    }

    /// Builds the configured runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if a thread or a file descriptor that the runtime needs cannot be
    /// created.
    pub fn build(&mut self) -> io::Result<Runtime> {
        super::serve_pages();
        self.0.build().map(Runtime)
    }

    /// Builds a runtime that stays on the current thread and can spawn futures that are not `Send`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`build`](Self::build), and an error if the builder was created
    /// for a runtime with several worker threads.
    pub fn build_local(&mut self, options: LocalOptions) -> io::Result<LocalRuntime> {
        super::serve_pages();
        self.0.build_local(options)
    }
}
