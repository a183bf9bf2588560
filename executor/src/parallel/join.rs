//! The function `join`, for divide and conquer.

use crate::fork_join::{in_tree, is_alone, with_slot};

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
