//! `join`.

use crate::fork_join::{in_tree, is_alone, with_slot};

/// Runs two closures, at the same time if a helper is free to take one, and returns both results.
///
/// `a` runs on the calling thread. `b` waits on a stack of jobs where helpers find it; if no helper
/// has taken it, it runs on the calling thread after `a`. That is the usual case and costs a few
/// nanoseconds, so that divide and conquer needs no cut-off to be fast, though one never hurts.
///
/// Whether the two run at the same time is unspecified. Closures that wait for each other may wait
/// forever.
///
/// While it waits for a `b` that was taken, the calling thread works on other jobs of the same
/// outermost `join` or [`scope`](super::scope()), and on nothing else. A lock held across `join`
/// may meet such a job, and deadlock: hold none.
///
/// # Panics
///
/// Panics with the panic of a closure; with the panic of `a` if both panic. The other closure is
/// waited for, or dropped if it has not begun.
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
