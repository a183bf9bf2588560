//! The guard by which a thread is inside a runtime.

use std::fmt;
use std::rc::Rc;

use super::{CURRENT, Context};

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
        if !std::thread::panicking() {
            panic!("wsrt: runtime guards have to be dropped in the reverse of the order in which they were entered");
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
