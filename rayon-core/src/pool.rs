//! Pools: with threads of their own, or with those of the caller's place.

use std::error::Error;
use std::fmt;

use wsrt::team::{Handle, Order};

use crate::global::GLOBAL;
use crate::shared::Shared;
use crate::{BroadcastContext, Scope, ScopeFifo, Yield};

/// A pool of threads that compute, made by a [`ThreadPoolBuilder`](crate::ThreadPoolBuilder).
///
/// Two pools are two sets of threads, and neither shares a runtime's threads, unless the builder
/// says [`share_runtime`](crate::ThreadPoolBuilder::share_runtime). When a pool is dropped, its
/// threads run the closures that were spawned, and end.
pub struct ThreadPool(pub(crate) Kind);

pub(crate) enum Kind {
    Own(Handle),
    /// Each method does as the function of its name.
    Shared(Shared),
}

use Kind::{Own, Shared as Sharing};

impl ThreadPool {
    /// Builds a pool.
    ///
    /// # Errors
    ///
    /// Returns the error of [`ThreadPoolBuilder::build`](crate::ThreadPoolBuilder::build).
    #[deprecated(note = "use `ThreadPoolBuilder::build`")]
    #[allow(deprecated)]
    pub fn new(configuration: crate::Configuration) -> Result<ThreadPool, Box<dyn Error>> {
        configuration.build()
    }

    /// Runs `op` in the pool while the caller waits, and returns its result. The functions of this
    /// crate that `op` calls work in the pool.
    ///
    /// A caller that is a thread of another pool works on the outermost call that it is in
    /// meanwhile.
    ///
    /// # Panics
    ///
    /// Panics with the panic of `op`.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(3).build()?;
    /// let (a, b) = pool.install(|| rayon_core::join(|| 1, || 2));
    /// assert_eq!(a + b, 3);
    /// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
    /// ```
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        match &self.0 {
            Own(team) => team.install(op),
            Sharing(_) => wsrt::team::install(&GLOBAL, op),
        }
    }

    /// Runs `op` on each thread of the pool, and returns the results in the order of the threads'
    /// indices.
    ///
    /// # Panics
    ///
    /// Panics with the first panic of `op`, once all threads have run it.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        match &self.0 {
            Own(team) => team.broadcast(op),
            Sharing(_) => crate::broadcast(op),
        }
    }

    /// Returns the number of threads in the pool.
    #[inline]
    pub fn current_num_threads(&self) -> usize {
        match &self.0 {
            Own(team) => team.count(),
            Sharing(_) => crate::current_num_threads(),
        }
    }

    /// Returns the index of the current thread, if it is one of the pool's.
    #[inline]
    pub fn current_thread_index(&self) -> Option<usize> {
        match &self.0 {
            Own(team) => team.current_thread_index(),
            Sharing(_) => crate::current_thread_index(),
        }
    }

    /// Returns whether closures that the current thread has split off or spawned wait for a thread,
    /// if it is one of the pool's.
    #[inline]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        match &self.0 {
            Own(team) => team.current_thread_has_pending_tasks(),
            Sharing(_) => crate::current_thread_has_pending_tasks(),
        }
    }

    /// Does as [`join`](crate::join()), in the pool.
    ///
    /// # Panics
    ///
    /// Panics as [`join`](crate::join()) does.
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| crate::join(oper_a, oper_b))
    }

    /// Does as [`scope`](crate::scope()), in the pool.
    ///
    /// # Panics
    ///
    /// Panics as [`scope`](crate::scope()) does.
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope(op))
    }

    /// Does as [`scope_fifo`](crate::scope_fifo), in the pool.
    ///
    /// # Panics
    ///
    /// Panics as [`scope`](crate::scope()) does.
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope_fifo(op))
    }

    /// Calls `op` on the calling thread, with a scope whose closures run in the pool.
    ///
    /// # Panics
    ///
    /// Panics as [`scope`](crate::scope()) does.
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        match &self.0 {
            Own(team) => team.in_place_scope(op),
            Sharing(_) => crate::in_place_scope(op),
        }
    }

    /// Calls `op` on the calling thread, with a scope whose closures run in the pool.
    ///
    /// # Panics
    ///
    /// Panics as [`scope`](crate::scope()) does.
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        match &self.0 {
            Own(team) => team.in_place_scope_fifo(op),
            Sharing(_) => crate::in_place_scope_fifo(op),
        }
    }

    /// Does as [`spawn`](crate::spawn()), in the pool.
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        match &self.0 {
            Own(team) => team.spawn(Order::Lifo, op),
            Sharing(shared) => crate::spawn(shared.guard(op)),
        }
    }

    /// Does as [`spawn_fifo`](crate::spawn_fifo), in the pool.
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        match &self.0 {
            Own(team) => team.spawn(Order::Fifo, op),
            Sharing(shared) => crate::spawn_fifo(shared.guard(op)),
        }
    }

    /// Does as [`spawn_broadcast`](crate::spawn_broadcast), in the pool.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        match &self.0 {
            Own(team) => team.spawn_broadcast(op),
            Sharing(shared) => crate::spawn_broadcast(shared.guard_each(op)),
        }
    }

    /// Does as [`yield_now`](crate::yield_now), if the current thread is one of the pool's.
    pub fn yield_now(&self) -> Option<Yield> {
        match &self.0 {
            Own(team) => team.yield_now(),
            Sharing(_) => crate::yield_now(),
        }
    }

    /// Does as [`yield_local`](crate::yield_local), if the current thread is one of the pool's.
    pub fn yield_local(&self) -> Option<Yield> {
        match &self.0 {
            Own(team) => team.yield_local(),
            Sharing(_) => crate::yield_local(),
        }
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Own(team) => {
                f.debug_struct("ThreadPool").field("num_threads", &team.count()).field("id", &team.id()).finish()
            }
            Sharing(_) => f.write_str("ThreadPool(shared)"),
        }
    }
}
