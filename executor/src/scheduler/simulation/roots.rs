//! The roots of a simulation: its thread in `block_on` is no machine, and serves those around it.

use std::future::Future;
use std::pin::Pin;

use wsrt_sync::current_task::LockOwner;

use crate::scheduler::Context;
use crate::scheduler::block_on::cached::CachedRoot;
use crate::scheduler::block_on::root::{RootFuture, RootRef};
use crate::scheduler::core::machine::Machine;
use crate::task::Id;

impl<'a, F: Future> RootFuture<'a, F> {
    /// The root of a simulation, whose thread in `block_on` has only its parker. `is_inside` says
    /// that it is inside another poll or a job: see [`nested`](Self::nested).
    pub(super) fn beside(future: Pin<&'a mut F>, context: &Context, is_inside: bool) -> Self {
        let post = CachedRoot::of(Machine::new(), context.scheduler());
        // Its first poll is a turn of the stage, as all others are.
        post.wakeup().put();
        let owner = if is_inside { LockOwner::current() } else { LockOwner::of_root(Id::next().number()) };
        Self::owned_by(future, post, context, owner)
    }
}

impl RootRef {
    /// Returns whether one of them is done, and its loop has yet to see that.
    pub(super) fn is_any_done(self) -> bool {
        self.each().any(|root| root.get().is_done())
    }

    /// Returns whether the outermost of them is done.
    pub(super) fn is_last_done(self) -> bool {
        self.each().last().is_some_and(|root| root.get().is_done())
    }
}
