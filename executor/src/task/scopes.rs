//! The scopes of task-local values that a thread is in: a list through the frames of its stack. A
//! thread may leave them for a while. In the middle of a poll that blocks, other tasks are polled,
//! and they have scopes of their own.

use std::any::Any;
use std::cell::Cell;
use std::ptr::NonNull;

thread_local! {
    /// The innermost scope of this thread. Without a destructor.
    static INNERMOST: Cell<Option<ScopeRef>> = const { Cell::new(None) };
}

/// One scope: the address of the scope's key, the value, and the scope around it.
struct Scope<'a> {
    key: *const (),
    value: &'a (dyn Any + 'static),
    outer: Option<ScopeRef>,
}

/// A scope in a frame of this thread's stack.
#[derive(Clone, Copy)]
struct ScopeRef(NonNull<Scope<'static>>);

impl ScopeRef {
    fn with<R>(self, f: impl FnOnce(&Scope<'_>) -> R) -> R {
        // SAFETY: the scope lies in a frame of `within` further out on this thread's stack, and its
        // value outlives that frame. The address does not leave the thread, and is forgotten before
        // the frame ends.
        f(unsafe { self.0.as_ref() })
    }
}

/// Calls `f` in a new innermost scope of this thread, in which `key` has `value`.
pub(super) fn within<R>(key: *const (), value: &(dyn Any + 'static), f: impl FnOnce() -> R) -> R {
    let scope = Scope { key, value, outer: INNERMOST.get() };
    let _left = Left(scope.outer);
    INNERMOST.set(Some(ScopeRef(NonNull::from(&scope).cast())));
    f()
}

/// Makes a scope the innermost one again when it is dropped.
struct Left(Option<ScopeRef>);

impl Drop for Left {
    fn drop(&mut self) {
        INNERMOST.set(self.0);
    }
}

/// Calls `f` with the value that `key` has in the innermost of the key's scopes, if there is one.
pub(super) fn with_value<R>(key: *const (), f: impl FnOnce(&(dyn Any + 'static)) -> R) -> Option<R> {
    let mut next = INNERMOST.get();
    while let Some(scope) = next {
        if scope.with(|scope| scope.key == key) {
            return Some(scope.with(|scope| f(scope.value)));
        }
        next = scope.with(|scope| scope.outer);
    }
    None
}

/// The scopes that a thread has left for a while. The thread enters them again when this is
/// dropped, further in on the stack than all of them.
pub(crate) struct ScopesAside(Option<ScopeRef>);

impl ScopesAside {
    /// Leaves the scopes that this thread is in.
    pub(crate) fn take() -> Self {
        Self(INNERMOST.take())
    }

    /// Enters the scopes again, until the guard is dropped: for a poll by the future that was in
    /// them.
    pub(crate) fn put_back(&self) -> PutBack {
        PutBack(INNERMOST.replace(self.0))
    }
}

impl Drop for ScopesAside {
    fn drop(&mut self) {
        INNERMOST.set(self.0);
    }
}

/// Leaves the scopes once more when it is dropped.
pub(crate) struct PutBack(Option<ScopeRef>);

impl Drop for PutBack {
    fn drop(&mut self) {
        INNERMOST.set(self.0);
    }
}
