//! The scopes of task-local values that a thread is in, so that they can be left for a while: in
//! the middle of a poll that blocks, other tasks are polled, and they have values of their own.

use std::cell::Cell;
use std::ptr::NonNull;

thread_local! {
    /// The innermost scope of this thread. Without a destructor.
    static INNERMOST: Cell<Option<ScopeRef>> = const { Cell::new(None) };
}

/// One scope, with its key and the place of its value.
pub(super) trait Scope {
    /// Swaps the value in the thread's slot for that in the scope's place. `false` if the slot is
    /// borrowed.
    fn swap(&self) -> bool;
}

/// A scope on this thread's stack, and the one around it.
#[derive(Clone, Copy)]
struct ScopeRef(NonNull<Entered<'static>>);

struct Entered<'a> {
    scope: &'a dyn Scope,
    outer: Option<ScopeRef>,
}

impl ScopeRef {
    fn get(&self) -> &Entered<'static> {
        // SAFETY: it lies in a frame of `within`, further out on this thread's stack: the address
        // does not leave the thread, and is forgotten before that frame ends.
        unsafe { self.0.as_ref() }
    }
}

/// Calls `f` with `scope` as the innermost one of this thread.
pub(super) fn within<R>(scope: &dyn Scope, f: impl FnOnce() -> R) -> R {
    let entered = Entered { scope, outer: INNERMOST.get() };
    let _left = Left(entered.outer);
    INNERMOST.set(Some(ScopeRef(NonNull::from(&entered).cast())));
    f()
}

/// Makes a scope the innermost one again when it is dropped.
struct Left(Option<ScopeRef>);

impl Drop for Left {
    fn drop(&mut self) {
        INNERMOST.set(self.0);
    }
}

/// The scopes that a thread has left for a while. They are entered again when this is dropped,
/// which is further in on the stack than all of them.
pub(crate) struct ScopesAside {
    /// The innermost first. Without those of a key whose value is borrowed: that stays.
    scopes: Vec<ScopeRef>,
    innermost: Option<ScopeRef>,
}

impl ScopesAside {
    /// Leaves the scopes that this thread is in.
    pub(crate) fn take() -> Self {
        let innermost = INNERMOST.take();
        let all = std::iter::successors(innermost, |scope| scope.get().outer);
        Self { scopes: all.filter(|scope| scope.get().scope.swap()).collect(), innermost }
    }

    /// Leaves none.
    pub(crate) fn none() -> Self {
        Self { scopes: Vec::new(), innermost: None }
    }

    /// Enters them again, until the guard is dropped: for a poll by the future that was in them.
    pub(crate) fn put_back(&self) -> PutBack<'_> {
        let outer = INNERMOST.get();
        if self.innermost.is_some() {
            self.enter();
        }
        PutBack { aside: self, outer }
    }

    fn enter(&self) {
        for scope in self.scopes.iter().rev() {
            let _ = scope.get().scope.swap();
        }
        INNERMOST.set(self.innermost);
    }
}

impl Drop for ScopesAside {
    fn drop(&mut self) {
        if self.innermost.is_some() {
            self.enter();
        }
    }
}

/// Leaves the scopes once more when it is dropped.
pub(crate) struct PutBack<'a> {
    aside: &'a ScopesAside,
    outer: Option<ScopeRef>,
}

impl Drop for PutBack<'_> {
    fn drop(&mut self) {
        if self.aside.innermost.is_none() {
            return;
        }
        for scope in &self.aside.scopes {
            let _ = scope.get().scope.swap();
        }
        INNERMOST.set(self.outer);
    }
}
