//! The four scopes of the current pool.

use crate::global::GLOBAL;
use crate::{Scope, ScopeFifo};

/// Calls `op` in the current pool with a scope, and returns when it and all closures spawned in
/// that scope are done.
///
/// A thread runs the closures that it has spawned in last-in, first-out order.
///
/// # Panics
///
/// Panics with the first panic of `op` or a closure, once all have run.
///
/// # Examples
///
/// ```
/// let mut numbers = [1, 2, 3];
/// rayon_core::scope(|scope| {
///     for number in &mut numbers {
///         scope.spawn(move |_| *number *= 2);
///     }
/// });
/// assert_eq!(numbers, [2, 4, 6]);
/// ```
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    wsrt::team::scope(&GLOBAL, op)
}

/// Calls `op` as [`scope`] does; a thread runs the closures that it has spawned in first-in,
/// first-out order.
///
/// # Panics
///
/// Panics as [`scope`] does.
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    wsrt::team::scope_fifo(&GLOBAL, op)
}

/// Calls `op` on the calling thread, and otherwise does as [`scope`].
///
/// # Panics
///
/// Panics as [`scope`] does.
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    wsrt::team::in_place_scope(&GLOBAL, op)
}

/// Calls `op` on the calling thread, and otherwise does as [`scope_fifo`].
///
/// # Panics
///
/// Panics as [`scope`] does.
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    wsrt::team::in_place_scope_fifo(&GLOBAL, op)
}
