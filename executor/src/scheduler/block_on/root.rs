//! The root of a loop: the future that the thread in `block_on` waits for, or nothing.
//!
//! A task of a current-thread runtime that blocks runs its own loop, nested in the loop that
//! polls the task. The inner loop serves the roots of the outer ones too: the task may wait for one
//! of them. A root whose own poll has led to the call is left out, for it is being polled.
//!
//! A root takes its turn as tasks do: when its wake is seen, it comes behind the tasks that wait by
//! then, [`INTERVAL`] of them at most. The task that has woken it may have woken another task after
//! it, and programs count on that: a connection whose response has ended wakes the root that reads
//! the response, and then the task that returns the connection to the pool. A root that came first
//! would find no free connection, and make one for each request.

use std::cell::Cell;
use std::future::Future;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;
use std::{mem, task};

use wsrt_reactor::budget;
use wsrt_sync::current_task;
use wsrt_sync::current_task::LockOwner;

use crate::scheduler::block_on::cached::CachedRoot;
use crate::scheduler::core::limits::INTERVAL;
use crate::scheduler::core::processor::Shared;
use crate::scheduler::scheduler::RootSeen;
use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, ScopesAside};
use crate::util::pinned_on_stack::{FrameRef, PinnedFuture};
use crate::util::unwind::Payload;

/// The root that a machine's loop looks at before each task.
pub(crate) trait LoopRoot {
    /// Polls the root future if it was woken and has its turn. `true` when it is done, and the loop
    /// with it.
    fn poll_if_woken(&self, context: &Rc<Context>) -> bool;

    /// Returns whether a wake waits to be answered, so that the machine must not sleep.
    fn is_woken(&self) -> bool;

    /// No task waits for its turn: a root that lets tasks in may continue, and so may those further
    /// out.
    fn end_wait(&self);

    /// Returns whether the root ends without a result, since nothing can ever wake it, nor any
    /// task: asked before the machine sleeps, without a processor.
    fn gives_up(&self, _: &Rc<Context>) -> bool {
        false
    }
}

/// The root of the machines that the runtime starts: they serve until it shuts down.
pub(crate) struct NoRoot;

impl LoopRoot for NoRoot {
    fn poll_if_woken(&self, _: &Rc<Context>) -> bool {
        false
    }

    fn is_woken(&self) -> bool {
        false
    }

    fn end_wait(&self) {}
}

/// A root as the loops see it that are nested in its own.
pub(crate) trait OuterRoot: LoopRoot {
    /// Polls the root future if it was woken and has its turn; its own loop finds the result.
    fn poll_from_within(&self, context: &Rc<Context>);

    /// Returns whether the root was woken and is not being polled.
    fn is_ready(&self) -> bool;

    /// Returns whether the root is done, and its loop has yet to see that.
    fn is_done(&self) -> bool;

    /// The root of the loop around its own.
    fn outer(&self) -> Option<RootRef>;
}

/// A root that is pinned on this thread's stack, in the frame of its loop.
pub(crate) type RootRef = FrameRef<dyn OuterRoot>;

impl RootRef {
    /// Calls `run` with `root` as the innermost of `context`, and puts back the one before it.
    pub(in crate::scheduler) fn enter<R>(context: &Context, root: &dyn OuterRoot, run: impl FnOnce() -> R) -> R {
        let root: NonNull<dyn OuterRoot + '_> = NonNull::from(root);
        // SAFETY: only the lifetime changes, which `nest` bounds.
        let root = unsafe { mem::transmute::<NonNull<dyn OuterRoot + '_>, NonNull<dyn OuterRoot>>(root) };
        // SAFETY: the caller has lent the root until this call returns. A context is of one thread,
        // and the loops that copy the address end in `run`.
        unsafe { Self::nest(context.innermost_root(), root, run) }
    }

    fn may_be_polled(&self) -> bool {
        !self.get().is_done() && self.get().is_ready()
    }

    /// Polls each of the roots from this one on outwards that was woken, and has its turn.
    pub(in crate::scheduler) fn poll_all(self, context: &Rc<Context>) {
        self.each().filter(|root| root.may_be_polled()).for_each(|root| root.get().poll_from_within(context));
    }

    /// Returns whether any of them may be polled.
    pub(in crate::scheduler) fn is_any_woken(self) -> bool {
        self.each().any(|root| root.may_be_polled())
    }

    pub(in crate::scheduler) fn each(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |root| root.get().outer())
    }
}

// The future that a driving thread waits for.

/// The root of a loop that drives a current-thread runtime.
///
/// It is shared with the loops nested in its own, all on one thread, so that its parts lie in
/// cells.
pub(in crate::scheduler) struct RootFuture<'a, F: Future> {
    future: PinnedFuture<'a, F>,
    /// True if it has yet to be polled for the first time, which takes no wake.
    is_new: Cell<bool>,
    /// The polls of tasks that are still to be let in before the answer to a wake that was seen.
    lets_in: Cell<Option<usize>>,
    /// The report of a runtime that can make no progress.
    report: Cell<Option<String>>,
    post: Box<CachedRoot>,
    /// The contexts that it has entered and holds between its polls, while tasks run.
    aside: Cell<Option<Rc<Context>>>,
    /// The task or root in the middle of whose poll it is polled; itself, if there is none.
    owner: LockOwner,
    /// The scopes of task-local values around the wait, while other futures are polled.
    scopes: ScopesAside,
    outer: Option<RootRef>,
}

/// The ways in which the loop of a root ends.
pub(in crate::scheduler) enum Ended<T> {
    Done(Result<T, Payload>),
    /// Nothing can wake it any more, says the report.
    Stuck(String),
    /// The runtime has shut down before it was done.
    Early,
}

impl<'a, F: Future> RootFuture<'a, F> {
    /// The root of a loop that is nested in no other.
    pub(in crate::scheduler) fn new(future: Pin<&'a mut F>, post: Box<CachedRoot>, context: &Rc<Context>) -> Self {
        let own = context.with_processor(|processor| processor.map(|processor| processor.ids().next()));
        let owner = LockOwner::of_root(own.unwrap_or_else(Id::next).number());
        Self::owned_by(future, post, context, owner)
    }

    /// The root of a loop inside another poll.
    pub(in crate::scheduler) fn nested(future: Pin<&'a mut F>, context: &Rc<Context>) -> Self {
        let machine = context.machine().expect("a driving thread is a machine");
        let post = CachedRoot::of(Arc::clone(machine), context.scheduler());
        Self::owned_by(future, post, context, LockOwner::current())
    }

    pub(in crate::scheduler) fn owned_by(
        future: Pin<&'a mut F>,
        post: Box<CachedRoot>,
        context: &Context,
        owner: LockOwner,
    ) -> Self {
        Self {
            future: PinnedFuture::new(future),
            is_new: Cell::new(true),
            lets_in: Cell::new(Some(0)),
            report: Cell::new(None),
            post,
            aside: Cell::new(None),
            owner,
            scopes: ScopesAside::take(),
            outer: context.root(),
        }
    }

    /// Ends the root. Returns how, and its post.
    pub(in crate::scheduler) fn end(self) -> (Ended<F::Output>, Box<CachedRoot>) {
        let ended = match (self.future.take_result(), self.report.take()) {
            (Some(result), _) => Ended::Done(result),
            (None, Some(report)) => Ended::Stuck(report),
            (None, None) => Ended::Early,
        };
        (ended, self.post)
    }

    /// Waits for the root if it is not done, since the runtime has shut down: with the roots
    /// further out, and without tasks. No shutdown drops the future that a thread waits in.
    pub(in crate::scheduler) fn wait_without_loop(&self, context: &Rc<Context>) {
        let _outer_budget = budget::keep();
        while !self.future.is_done() && !self.poll_if_woken(context) {
            if !self.is_woken() {
                self.post.machine().parker().park();
            }
            self.end_wait();
        }
    }

    /// Returns whether the root has its turn, if it was woken; otherwise a task is let in, and
    /// counted.
    fn has_turn(&self, scheduler: &Scheduler) -> bool {
        let left = match self.lets_in.get() {
            Some(left) => left,
            None if self.post.wakeup().is_woken() => count_waiting(scheduler),
            None => return false,
        };
        self.lets_in.set(left.checked_sub(1));
        left == 0
    }

    /// Polls the future, which nothing polls now. `true` when it is done.
    fn poll(&self, here: &Rc<Context>) -> bool {
        let _owner = current_task::put(self.owner);
        let _scopes = self.scopes.put_back();
        let _on_host = here.scheduler().observer.on_host_of(self.owner.task().map_or(0, NonZeroU64::get));
        let mut context = task::Context::from_waker(self.post.waker());
        budget::refill();
        if let Some(aside) = self.aside.take() {
            Context::put_back(&aside);
        }
        let is_done = here.with_root(true, || self.future.poll(|future| future.poll(&mut context)));
        if is_done {
            here.come_back();
        } else {
            self.aside.set(here.set_others_aside());
            // A root that yields was woken in its own poll. One less: the loop takes a task now.
            let woken = self.post.wakeup().is_woken();
            self.lets_in.set(woken.then(|| count_waiting(here.scheduler()).saturating_sub(1)));
        }
        is_done
    }
}

/// The tasks that wait now, as far as a root lets them in.
fn count_waiting(scheduler: &Scheduler) -> usize {
    let in_rings: usize = scheduler.processors.iter().map(Shared::waiting).sum();
    (in_rings + scheduler.injector.len()).min(INTERVAL as usize)
}

impl<F: Future> LoopRoot for RootFuture<'_, F> {
    fn poll_if_woken(&self, here: &Rc<Context>) -> bool {
        if self.has_turn(here.scheduler()) && (self.is_new.replace(false) || self.post.wakeup().take()) {
            // Not being polled: each loop inside that poll has ended.
            if self.future.is_done() || self.poll(here) {
                return true;
            }
        }
        if let Some(outer) = self.outer {
            outer.poll_all(here);
        }
        false
    }

    fn is_woken(&self) -> bool {
        self.post.wakeup().is_woken() || self.outer.is_some_and(RootRef::is_any_woken)
    }

    fn end_wait(&self) {
        self.lets_in.set(Some(0));
        self.outer.iter().for_each(|outer| outer.get().end_wait());
    }

    fn gives_up(&self, here: &Rc<Context>) -> bool {
        let scheduler = here.scheduler();
        if self.outer.is_some() || self.is_woken() || scheduler.processors.earliest_deadline() != u64::MAX {
            return false;
        }
        let (wakers, address) = (self.post.count_wakers(), self.post.waker().data().addr());
        let is_woken = || self.post.wakeup().is_woken();
        let seen = RootSeen { owner: self.owner, wakers, address, is_woken: &is_woken };
        let Some(report) = (scheduler.config.no_progress)(scheduler, &seen) else { return false };
        self.report.set(Some(report));
        self.future.give_up();
        self.post.wakeup().put();
        true
    }
}

impl<F: Future> OuterRoot for RootFuture<'_, F> {
    fn poll_from_within(&self, here: &Rc<Context>) {
        let has_turn = !self.future.is_being_polled() && self.has_turn(here.scheduler());
        if has_turn && self.post.wakeup().take() && self.poll(here) {
            // For its own loop to see at once that it is done.
            self.post.wakeup().put();
            self.lets_in.set(Some(0));
        }
    }

    fn is_ready(&self) -> bool {
        self.post.wakeup().is_woken() && !self.future.is_being_polled()
    }

    fn is_done(&self) -> bool {
        self.future.is_done()
    }

    fn outer(&self) -> Option<RootRef> {
        self.outer
    }
}
