//! A builder whose runtimes have I/O and timers only where they are asked for, around wsrt's.

use std::io;
use std::time::Duration;

use wsrt::runtime::{LocalOptions, LocalRuntime, Runtime};

/// Sets the options of a runtime, and builds it.
#[derive(Debug)]
pub struct Builder(pub(super) wsrt::runtime::Builder);

/// Methods that hand their arguments on.
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

/// Methods that take a function.
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

impl Builder {
    fn around(mut builder: wsrt::runtime::Builder) -> Self {
        builder.__without_drivers();
        Self(builder)
    }

    /// Begins a runtime whose tasks run on the thread that is in its `block_on`.
    pub fn new_current_thread() -> Self {
        Self::around(wsrt::runtime::Builder::new_current_thread())
    }

    /// Creates a builder for a runtime with several worker threads.
    #[cfg(feature = "rt-multi-thread")]
    pub fn new_multi_thread() -> Self {
        Self::around(wsrt::runtime::Builder::new_multi_thread())
    }

    /// Enables I/O and timers on the runtime.
    pub fn enable_all(&mut self) -> &mut Self {
        self.0.enable_all();
        self
    }

    /// Enables sockets, processes and signals on the runtime.
    #[cfg(any(feature = "net", all(unix, feature = "process"), all(unix, feature = "signal")))]
    pub fn enable_io(&mut self) -> &mut Self {
        self.0.enable_io();
        self
    }

    /// Enables timers on the runtime.
    #[cfg(feature = "time")]
    pub fn enable_time(&mut self) -> &mut Self {
        self.0.enable_time();
        self
    }

    set! {
        /// Sets the number of tasks that may run at the same time.
        worker_threads(count: usize);
        /// Sets the number of threads for blocking jobs, at most.
        max_blocking_threads(count: usize);
        /// Names the runtime.
        name(name: impl Into<String>);
        /// Names the threads of the runtime.
        thread_name(name: impl Into<String>);
        /// Sets the size of the stacks of the threads, in bytes.
        thread_stack_size(bytes: usize);
        /// Sets how long a thread for blocking jobs lasts without one.
        thread_keep_alive(duration: Duration);
        /// Sets the number of polls between two looks at the queue that all threads share, at most.
        global_queue_interval(polls: u32);
        /// Sets the number of polls between two looks at the network and the timers.
        event_interval(polls: u32);
    }

    #[cfg(any(feature = "net", all(unix, feature = "process"), all(unix, feature = "signal")))]
    set! {
        /// Sets the number of events that one look at the network takes, at most.
        max_io_events_per_tick(events: usize);
        /// Sets that number for looks between tasks that are ready.
        max_io_events_per_busy_tick(events: usize);
    }

    #[cfg(feature = "test-util")]
    set! {
        /// Pauses the clock of the runtime from the start.
        start_paused(start_paused: bool);
    }

    /// Names each thread of the runtime by a function.
    pub fn thread_name_fn<F>(&mut self, name: F) -> &mut Self
    where
        F: Fn() -> String + Send + Sync + 'static,
    {
        self.0.thread_name_fn(name);
        self
    }

    hook! {
        /// Calls a function on each thread of the runtime when it starts.
        on_thread_start;
        /// Calls a function on each thread of the runtime before it ends.
        on_thread_stop;
        /// Calls a function on each thread that runs tasks before it sleeps because there are none.
        on_thread_park;
        /// Calls a function on each thread that runs tasks when it has slept.
        on_thread_unpark;
    }

    /// Builds the runtime.
    ///
    /// # Errors
    ///
    /// Returns the system's error if it refuses a thread or a file descriptor.
    pub fn build(&mut self) -> io::Result<Runtime> {
        self.0.build()
    }

    /// Builds a runtime that stays on the current thread.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`build`](Self::build), and one if this began a runtime of several
    /// threads.
    pub fn build_local(&mut self, options: LocalOptions) -> io::Result<LocalRuntime> {
        self.0.build_local(options)
    }
}
