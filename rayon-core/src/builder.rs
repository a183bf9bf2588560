//! The builder of pools.

use std::any::Any;
use std::env;
use std::fmt;
use std::io;
use std::thread;

use wsrt::team::{Handle, Hooks};

use crate::pool::Kind;
use crate::shared::{self, Shared};
use crate::spawning::{CustomSpawn, DefaultSpawn, ThreadSpawn, named};
use crate::{ThreadBuilder, ThreadPool, ThreadPoolBuildError, global};

/// Threads of a pool at most.
pub(crate) const MOST_THREADS: usize = if usize::BITS == 64 { u16::MAX as usize } else { u8::MAX as usize };

/// Builds a [`ThreadPool`], or configures the process-wide pool.
///
/// # Examples
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(pool.install(rayon_core::current_num_threads), 2);
/// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    use_current_thread: bool,
    thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    stack_size: Option<usize>,
    breadth_first: bool,
    hooks: Hooks,
    shares_runtime: bool,
    spawn: S,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self {
            num_threads: 0,
            use_current_thread: false,
            thread_name: None,
            stack_size: None,
            breadth_first: false,
            hooks: Hooks::default(),
            shares_runtime: false,
            spawn: DefaultSpawn,
        }
    }
}

impl ThreadPoolBuilder {
    /// Makes a builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a pool of scoped threads: each calls `wrapper`, which calls [`ThreadBuilder::run`].
    /// Returns when `with_pool` has returned and the threads have ended.
    ///
    /// # Errors
    ///
    /// Returns an error if a thread cannot be started.
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        thread::scope(|scope| {
            let spawn = |thread: ThreadBuilder| {
                named(&thread).spawn_scoped(scope, || wrapper(thread))?;
                Ok(())
            };
            Ok(with_pool(&self.spawn_handler(spawn).build()?))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds a pool.
    ///
    /// # Errors
    ///
    /// Returns an error if a thread cannot be started, or if the current thread is to be one of the
    /// pool's and is another one's already.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        if self.is_shared() {
            return Ok(ThreadPool(Kind::Shared(Shared::new(self.hooks.panic))));
        }
        self.start().map(Kind::Own).map(ThreadPool)
    }

    /// Builds the process-wide pool, and returns when its threads have begun.
    ///
    /// Threads of a wsrt runtime compute on the runtime's processors all the same, unless the
    /// builder has a start or exit handler, a spawn handler, a stack size or the current thread:
    /// these ask for threads of the pool's own, and then all calls go there.
    ///
    /// # Errors
    ///
    /// Returns an error if there is a process-wide pool already, and the errors of
    /// [`build`](Self::build).
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        global::build(self).map(|pool| pool.wait_until_begun())
    }

    /// Returns whether the pool has no threads of its own.
    fn is_shared(&self) -> bool {
        // Fewer threads than cores are a limit, which the other threads would not keep.
        let wants_all = || self.num_threads == 0 || self.num_threads >= of_system();
        !self.wants_own_threads() && (self.shares_runtime || (shared::is_asked_for() && wants_all()))
    }

    /// Whether it asks for what only threads of the pool's own have.
    pub(crate) fn wants_own_threads(&self) -> bool {
        let Self { use_current_thread, stack_size, hooks, spawn, .. } = self;
        let has_hooks = hooks.start.is_some() || hooks.exit.is_some();
        *use_current_thread || stack_size.is_some() || has_hooks || spawn.is_users()
    }

    /// Starts the threads. If one of them cannot be started, the others end.
    pub(crate) fn start(mut self) -> Result<Handle, ThreadPoolBuildError> {
        let (team, places) = Handle::new(self.count(), self.hooks);
        for place in places {
            let name = self.thread_name.as_mut().map(|name| name(place.index()));
            if self.use_current_thread && place.index() == 0 {
                place.occupy().map_err(|_| ThreadPoolBuildError::already_in_pool())?;
                continue;
            }
            let thread = ThreadBuilder { name, stack_size: self.stack_size, place };
            self.spawn.spawn(thread).map_err(ThreadPoolBuildError::io)?;
        }
        Ok(team)
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Starts the threads by `spawn`, which has each call [`ThreadBuilder::run`].
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = rayon_core::ThreadPoolBuilder::new()
    ///     .spawn_handler(|thread| {
    ///         std::thread::spawn(|| thread.run());
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// assert!(pool.install(rayon_core::current_thread_index).is_some());
    /// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
    /// ```
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        let Self { num_threads, use_current_thread, thread_name, stack_size, breadth_first, .. } = self;
        let Self { hooks, shares_runtime, .. } = self;
        let spawn = CustomSpawn(spawn);
        ThreadPoolBuilder {
            num_threads,
            use_current_thread,
            thread_name,
            stack_size,
            breadth_first,
            hooks,
            shares_runtime,
            spawn,
        }
    }

    /// Returns the number of threads that are to be.
    fn count(&self) -> usize {
        let count = if self.num_threads > 0 { self.num_threads } else { of_environment().unwrap_or_else(of_system) };
        count.min(MOST_THREADS)
    }

    /// Names the threads, by their indices.
    #[must_use]
    pub fn thread_name<F>(mut self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.thread_name = Some(Box::new(closure));
        self
    }

    /// Sets the number of threads. 0, the default, stands for the variable `RAYON_NUM_THREADS`, or
    /// for as many as the process may use cores.
    #[must_use]
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the current thread the first of the pool, for ever: it works for the pool while it
    /// waits in a call.
    #[must_use]
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Makes a pool without threads of its own. rayon has no such method.
    ///
    /// Each method of the pool does as the function of its name in this crate: it works in the
    /// runtime or the pool that the calling thread is in, and else in the process-wide pool. So
    /// [`num_threads`](Self::num_threads) and the threads' names are of no effect, and the pool's
    /// [`current_num_threads`](ThreadPool::current_num_threads) is the number of the threads there.
    ///
    /// The pool has threads all the same if the builder asks for what only these have: a start or
    /// exit handler, a spawn handler, a stack size or the current thread.
    ///
    /// The environment variable `WSRT_RAYON_SHARE=1` does the same for each pool that asks for no
    /// number of threads, or for as many as the process may use cores, in dependencies too.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    /// let pool = rayon_core::ThreadPoolBuilder::new().share_runtime().build()?;
    /// let threads = runtime.block_on(async move {
    ///     let task = wsrt::spawn(async move { pool.install(rayon_core::current_num_threads) });
    ///     task.await.expect("no panic")
    /// });
    /// assert_eq!(threads, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn share_runtime(mut self) -> Self {
        self.shares_runtime = true;
        self
    }

    /// Sets a closure that gets the panics for which no thread waits. Without one, such a panic
    /// ends the process, and so does a panic of the closure.
    #[must_use]
    pub fn panic_handler<H>(mut self, panic_handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.hooks.panic = Some(Box::new(panic_handler));
        self
    }

    /// Sets the stack size of the threads, in bytes.
    #[must_use]
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Does nothing. Spawned closures run in the order that the spawning function's name says.
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo`")]
    #[must_use]
    pub fn breadth_first(mut self) -> Self {
        self.breadth_first = true;
        self
    }

    /// Sets a closure that each thread calls with its index as it begins.
    #[must_use]
    pub fn start_handler<H>(mut self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.hooks.start = Some(Box::new(start_handler));
        self
    }

    /// Sets a closure that each thread calls with its index as it ends.
    #[must_use]
    pub fn exit_handler<H>(mut self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.hooks.exit = Some(Box::new(exit_handler));
        self
    }
}

/// Returns the number of cores that the process may use.
fn of_system() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the number of threads that the environment asks for. A variable that is no number says
/// nothing, and 0 stands for the system's number.
fn of_environment() -> Option<usize> {
    let number = |name: &str| env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    // The second one is the first one's old name.
    let number = number("RAYON_NUM_THREADS").or_else(|| number("RAYON_RS_NUM_CPUS"));
    number.filter(|&count| count > 0)
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let closure = |is_there: bool| is_there.then_some(format_args!("<closure>"));
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("get_thread_name", &closure(self.thread_name.is_some()))
            .field("panic_handler", &closure(self.hooks.panic.is_some()))
            .field("stack_size", &self.stack_size)
            .field("start_handler", &closure(self.hooks.start.is_some()))
            .field("exit_handler", &closure(self.hooks.exit.is_some()))
            .field("breadth_first", &self.breadth_first)
            .finish()
    }
}
