//! The guard by which a thread is inside a runtime.

use std::fmt;
use std::rc::Rc;

use super::{CURRENT, Context, Role};

/// The thread is inside a runtime. Not Send: it stands for this thread's state.
pub(crate) struct Entered {
    pub(super) context: Rc<Context>,
    pub(super) previous: *const Context,
    /// The reactor context of before.
    pub(super) reactor_before: Option<wsrt_reactor::context::ReactorContext>,
    /// Whether it is a user's, so that it may be dropped at any time on this thread, or never.
    pub(super) is_users: bool,
}

impl Entered {
    /// The guard, to be given to users.
    pub(crate) fn for_users(self) -> Self {
        let mut guard = self;
        guard.is_users = true;
        guard
    }

    fn restore(&mut self) {
        CURRENT.set(self.previous);
        drop(wsrt_reactor::context::replace(self.reactor_before.take()));
    }

    /// Another context is the innermost, or none.
    #[cold]
    fn leave_out_of_order(&self) {
        if self.context.left_behind.get() {
            return;
        }
        // A guard entered later still points here, or is set aside, and will put this context back:
        // it must never be freed.
        std::mem::forget(Rc::clone(&self.context));
        refuse_the_order();
    }
}

fn refuse_the_order() {
    if !std::thread::panicking() {
        panic!("wsrt: runtime guards have to be dropped in the reverse of the order in which they were entered");
    }
}

/// A user has entered the runtime that the thread is in already: nothing changes, but the guards
/// have an order.
pub(crate) struct EnteredAgain {
    context: Rc<Context>,
    number: u32,
}

impl Context {
    /// Counts a guard of a user's, if the thread is in here by another. Inside of a task or a
    /// blocking job it would last no longer than that runs, wherever the guard is then: it has no
    /// order.
    pub(crate) fn enter_again(self: Rc<Self>) -> Option<EnteredAgain> {
        if !matches!(self.role, Role::External) {
            return None;
        }
        let number = self.guards.get() + 1;
        self.guards.set(number);
        Some(EnteredAgain { context: self, number })
    }
}

impl Drop for EnteredAgain {
    fn drop(&mut self) {
        let last = self.context.guards.replace(self.number - 1);
        if last != self.number && !self.context.left_behind.get() {
            refuse_the_order();
        }
    }
}

impl std::ops::Deref for Entered {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if !self.is_users {
            self.context.come_back();
        }
        if self.context.is_innermost() { self.restore() } else { self.leave_out_of_order() }
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entered").field(&self.context).finish()
    }
}
