//! The scopes of task-local values that a thread is in: a list through the frames of its stack. A
//! thread may leave them for a while. In the middle of a poll that blocks, other tasks are polled,
//! and they have their own scopes.

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
    fn get(&self) -> &Scope<'_> {
        // SAFETY: the scope lies in a frame of `within` further out on this thread's stack, and its
        // value outlives that frame. The address does not leave the thread, and is forgotten before
        // the frame ends.
        unsafe { self.0.as_ref() }
    }
}

/// Calls `f` in a new innermost scope of this thread, in which `key` has `value`.
pub(super) fn within<R>(key: *const (), value: &(dyn Any + 'static), f: impl FnOnce() -> R) -> R {
    let outer = INNERMOST.get();
    let scope = Scope { key, value, outer };
    let _outer = ScopesAside(outer);
    INNERMOST.set(Some(ScopeRef(NonNull::from(&scope).cast())));
    f()
}

/// Calls `f` with the value that `key` has in the innermost of the key's scopes, if there is one.
pub(super) fn with_value<R>(key: *const (), f: impl FnOnce(&(dyn Any + 'static)) -> R) -> Option<R> {
    let mut next = INNERMOST.get();
    while let Some(innermost) = next {
        let scope = innermost.get();
        if scope.key == key {
            return Some(f(scope.value));
        }
        next = scope.outer;
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

    /// Enters the scopes again, and leaves the thread's current scopes for that time: for a poll by
    /// the future that was in them.
    pub(crate) fn put_back(&self) -> Self {
        Self(INNERMOST.replace(self.0))
    }
}

impl Drop for ScopesAside {
    fn drop(&mut self) {
        INNERMOST.set(self.0);
    }
}
