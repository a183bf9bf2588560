//! The root of a loop: the future that the thread in `block_on` waits for, or nothing.
//!
//! A task of a current-thread runtime that blocks runs a loop of its own, nested in the loop that
//! polls the task. The inner loop serves the roots of the outer ones too: the task may wait for one
//! of them. A root whose own poll has led to the call is left out, for it is being polled.

use std::mem;
use std::ptr::NonNull;

use wsrt_sync::current_task::Owner;

use crate::scheduler::Context;
use crate::scheduler::root_wakeup::RootWakeup;

/// The root that a machine's loop looks at before each task.
pub(crate) trait Root {
    /// Polls the root future if it was woken. `true` when it is done, and the loop with it.
    fn poll_if_woken(&self, context: &Context) -> bool;

    /// Whether a wake waits to be answered, so that the machine must not sleep.
    fn is_woken(&self) -> bool;

    /// No task waits for its turn: a root that has yielded may go on.
    fn end_wait(&self);

    /// Whether the root ends without a result, since nothing can ever wake it, nor any task: asked
    /// before the machine sleeps, without a processor.
    fn gives_up(&self, _: &Context) -> bool {
        false
    }
}

/// The root of the machines that the runtime starts: they serve until it shuts down.
pub(crate) struct NoRoot;

impl Root for NoRoot {
    fn poll_if_woken(&self, _: &Context) -> bool {
        false
    }

    fn is_woken(&self) -> bool {
        false
    }

    fn end_wait(&self) {}
}

/// A root future as a proof sees it that nothing can wake it.
pub(crate) struct RootSeen<'a> {
    pub(crate) owner: Owner,
    /// Its wakers that others have.
    pub(crate) wakers: usize,
    /// The address in its wakers.
    pub(crate) address: usize,
    pub(super) wakeup: &'a RootWakeup,
}

impl RootSeen<'_> {
    pub(crate) fn is_woken(&self) -> bool {
        self.wakeup.is_woken()
    }
}

/// A root as the loops see it that are nested in its own.
pub(crate) trait OuterRoot {
    /// Polls the root future if it was woken, and keeps its result for its own loop.
    fn poll_from_within(&self, context: &Context);

    /// Whether it was woken, and is not being polled.
    fn may_be_polled(&self) -> bool;

    #[cfg(feature = "sim")]
    fn is_done(&self) -> bool;

    /// The root of the loop around its own.
    fn outer(&self) -> Option<RootRef>;
}

/// A root that is pinned on this thread's stack, in the frame of its loop.
#[derive(Clone, Copy)]
pub(crate) struct RootRef(NonNull<dyn OuterRoot>);

impl RootRef {
    /// Calls `run` with the address of `root` in `innermost`, and puts back the one before it.
    pub(super) fn nest<R>(context: &Context, root: &dyn OuterRoot, run: impl FnOnce() -> R) -> R {
        let root = NonNull::from(root);
        // SAFETY: only the lifetime changes, and the address is out of its place again before this
        // call returns, for which the caller has lent the root.
        let root = Self(unsafe { mem::transmute::<NonNull<dyn OuterRoot + '_>, NonNull<dyn OuterRoot>>(root) });
        let _nested = Nested { context, outer: context.replace_root(Some(root)) };
        run()
    }

    fn get(&self) -> &dyn OuterRoot {
        // SAFETY: it is in the frame of a loop, which is further out on this thread's stack: the
        // address does not leave the thread, and is forgotten before that frame ends (`nest`).
        // Shared: the root has cells for all that changes.
        unsafe { self.0.as_ref() }
    }

    /// Polls each of the roots from this one on outwards that was woken.
    pub(super) fn poll_all(self, context: &Context) {
        self.each().filter(|root| root.get().may_be_polled()).for_each(|root| root.get().poll_from_within(context));
    }

    /// Whether any of them may be polled.
    pub(super) fn is_any_woken(self) -> bool {
        self.each().any(|root| root.get().may_be_polled())
    }

    /// Whether one of them is done, and its loop has yet to see that.
    #[cfg(feature = "sim")]
    pub(super) fn is_any_done(self) -> bool {
        self.each().any(|root| root.get().is_done())
    }

    /// Whether the outermost of them is done.
    #[cfg(feature = "sim")]
    pub(super) fn is_last_done(self) -> bool {
        self.each().last().is_some_and(|root| root.get().is_done())
    }

    fn each(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |root| root.get().outer())
    }
}

/// A loop is under way, nested in another or not.
struct Nested<'a> {
    context: &'a Context,
    outer: Option<RootRef>,
}

impl Drop for Nested<'_> {
    fn drop(&mut self) {
        let _ = self.context.replace_root(self.outer);
    }
}
