//! The functions `scope`, for any number of jobs, and `join`, for divide and conquer.

use std::fmt;
use std::marker::PhantomData;
use std::panic::resume_unwind;

use crate::fork_join::{AfterPanic, RegionHome, ScopeBase, in_tree, is_alone, with_slot};
use crate::util::unwind::{caught, drop_quietly};

/// A scope for jobs, which may borrow values that outlive `'scope`. Passed to [`scope()`]'s
/// closure.
pub struct Scope<'scope> {
    base: ScopeBase,
    home: RegionHome,
    /// Neither longer nor shorter: a longer one would let jobs borrow values that are gone, a
    /// shorter one would let them borrow the scope's own frame.
    marker: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

/// Calls `f` with a new scope, and returns its result when `f` and all jobs of the scope have
/// completed.
///
/// Jobs are closures, not async tasks, and run on the runtime's processors. They can borrow from
/// the caller's stack, and can spawn further jobs in the same scope. Jobs should not block. Their
/// order is unspecified. After `f` has returned, the calling thread runs jobs too, the most
/// recently spawned job first. Each job costs an allocation. For two closures,
/// [`join`](super::join()) needs none, and for many similar items, use
/// [`for_each`](fn@super::for_each).
///
/// Jobs may or may not run at the same time. Jobs that wait for each other may deadlock.
///
/// # Panics
///
/// If `f` or a job panics, `scope` panics with the payload of the first panic, after all running
/// jobs have returned. Jobs that had not begun by then are dropped.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let mut words = vec!["one".to_string(), "two".to_string(), "three".to_string()];
/// wsrt::parallel::scope(|scope| {
///     for word in &mut words {
///         scope.spawn(|_| word.make_ascii_uppercase());
///     }
/// });
/// assert_eq!(words, ["ONE", "TWO", "THREE"]);
/// # });
/// ```
pub fn scope<'scope, F, R>(f: F) -> R
where
    F: FnOnce(&Scope<'scope>) -> R,
{
    in_tree(|slot| {
        // SAFETY: the slot is of the region, and outlives the scope.
        let base = unsafe { ScopeBase::new(slot.region(), AfterPanic::Drop) };
        let scope = Scope { base, home: RegionHome::of(slot), marker: PhantomData };
        let result = caught(|| f(&scope));
        let result = result.map_err(|payload| scope.base.fail(payload));
        if let Err(payload) = scope.base.finish(slot) {
            drop_quietly(result);
            resume_unwind(payload);
        }
        result.expect("a scope that has failed has kept why")
    })
}

impl<'scope> Scope<'scope> {
    /// Spawns a job in the scope. The job receives the scope, so that it can spawn further jobs.
    ///
    /// Can be called on any thread. If the calling thread does not work in this scope, a thread
    /// that does takes the job the next time it looks for work.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// use wsrt::parallel::{Scope, scope};
    ///
    /// fn visit<'scope>(depth: u32, visited: &'scope AtomicU32, scope: &Scope<'scope>) {
    ///     visited.fetch_add(1, Relaxed);
    ///     if depth > 0 {
    ///         scope.spawn(move |scope| visit(depth - 1, visited, scope));
    ///         scope.spawn(move |scope| visit(depth - 1, visited, scope));
    ///     }
    /// }
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let visited = AtomicU32::new(0);
    /// scope(|scope| visit(9, &visited, scope));
    /// assert_eq!(visited.into_inner(), 1023);
    /// # });
    /// ```
    pub fn spawn<F>(&self, f: F)
    where
        F: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let scope = ScopeAddress(self);
        let work = move || f(scope.get());
        // SAFETY: the values that `f` borrows live for `'scope`, which is longer than `scope` runs,
        // and that calls `finish`.
        if with_slot(|slot| unsafe { self.base.spawn(slot, work) }) {
            self.home.summon();
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.fmt(f)
    }
}

/// A job's way to its scope.
struct ScopeAddress<'scope>(*const Scope<'scope>);

// SAFETY: it leads to a scope, which is Sync.
unsafe impl Send for ScopeAddress<'_> {}

impl<'scope> ScopeAddress<'scope> {
    fn get(&self) -> &Scope<'scope> {
        // SAFETY: the scope waits for the job that has this.
        unsafe { &*self.0 }
    }
}

/// Runs two closures, in parallel if another thread is free, and returns both results.
///
/// `a` runs on the calling thread. Meanwhile, `b` is in a queue from which other threads can take
/// it. If no thread has taken `b` when `a` returns, the calling thread runs `b` itself. This is the
/// usual case, and costs a few nanoseconds, so recursive algorithms are fast even without a
/// cut-off.
///
/// The two closures may or may not run at the same time. If they wait for each other, they may
/// deadlock.
///
/// If another thread has taken `b`, the calling thread waits, and meanwhile runs other jobs of the
/// same outermost `join` or [`scope`](super::scope()), and nothing else. Do not hold a lock across
/// a call of `join`: a job that needs the same lock may run inside the call, and deadlock.
///
/// # Panics
///
/// If a closure panics, `join` panics with the same payload, or with the payload of `a` if both
/// closures panic. By then, the other closure has returned or been dropped.
///
/// # Examples
///
/// ```
/// fn sum(numbers: &[u64]) -> u64 {
///     if numbers.len() <= 1000 {
///         return numbers.iter().sum();
///     }
///     let (left, right) = numbers.split_at(numbers.len() / 2);
///     let (left, right) = wsrt::parallel::join(|| sum(left), || sum(right));
///     left + right
/// }
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let numbers: Vec<u64> = (0..100_000).collect();
/// assert_eq!(sum(&numbers), 4_999_950_000);
/// # });
/// ```
#[inline]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    with_slot(|slot| match slot {
        Some(slot) => slot.join(a, b),
        None => outermost(a, b),
    })
}

#[inline(never)]
fn outermost<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    if is_alone() {
        return (a(), b());
    }
    in_tree(|slot| slot.join(a, b))
}
