//! `join` and `join_context`.

use std::marker::PhantomData;

use crate::global::GLOBAL;

/// Tells a closure of [`join_context`] where it runs.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// Neither `Send` nor `Sync`: it is about the current thread.
    marker: PhantomData<*mut ()>,
}

impl FnContext {
    #[inline]
    fn new(migrated: bool) -> Self {
        Self { migrated, marker: PhantomData }
    }

    /// Returns whether the closure runs on another thread than the call.
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Runs two closures, at the same time if a thread is free to take one, and returns both results.
///
/// Whether the two run at the same time is unspecified.
///
/// # Panics
///
/// Panics with the panic of a closure, once both have run; with `oper_a`'s if both panic.
///
/// # Examples
///
/// ```
/// let (a, b) = rayon_core::join(|| 1 + 1, || "two");
/// assert_eq!((a, b), (2, "two"));
/// ```
#[inline]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    wsrt::team::join_context(&GLOBAL, |_| oper_a(), |_| oper_b())
}

/// Runs two closures as [`join`] does, and tells each whether it has moved to another thread.
///
/// # Panics
///
/// Panics as [`join`] does.
#[inline]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    wsrt::team::join_context(
        &GLOBAL,
        |migrated| oper_a(FnContext::new(migrated)),
        |migrated| oper_b(FnContext::new(migrated)),
    )
}
