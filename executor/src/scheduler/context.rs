//! The context: which runtime the current thread belongs to, and which processor it holds.

use std::cell::{Cell, RefCell, RefMut};
use std::ptr::NonNull;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Instant;
use std::{fmt, ptr};

use crate::scheduler::Scheduler;
use crate::scheduler::block_on::root::RootRef;
use crate::scheduler::clock::is_any_stopped;
use crate::scheduler::core::machine::{Machine, OffProcessor};
use crate::scheduler::core::processor::Processor;
use crate::scheduler::simulation::Simulation;
use crate::task::{Runnable, TaskQueue};
use crate::util::sync;

thread_local! {
    /// The innermost context entered on this thread. It has no destructor, so that it may be asked
    /// at any time, by wakers that fire while the thread ends too.
    static CURRENT: Cell<*const Context> = const { Cell::new(ptr::null()) };
}

/// The role of a thread in the runtime that it has entered.
#[derive(Debug)]
pub(crate) enum Role {
    /// It runs tasks.
    Machine(Arc<Machine>),
    /// It runs blocking jobs.
    Blocking,
    /// It watches over those that run tasks.
    Watching,
    /// It is an external thread, with a guard or in `block_on`.
    External,
    /// It drops the tasks that a shutdown has left, on whichever thread.
    Ending,
    /// It starts a thread of the runtime, which is counted already, and asks the user for its name.
    Starting,
}

/// The state of a thread that belongs to a runtime.
pub(crate) struct Context {
    /// Itself, for calls that outlive a guard which is dropped inside.
    me: Weak<Self>,
    /// The context that was innermost when this one was entered. Weak, for its own guard keeps it:
    /// a guard that was dropped before its turn has leaked it, so that it is there still.
    outer: Weak<Self>,
    /// True if the runtime has come back to a context below this one, and the guard, wherever it
    /// is, puts nothing back.
    left_behind: Cell<bool>,
    scheduler: Arc<Scheduler>,
    role: Role,
    /// The processor, while a task runs on it: the machine loop puts it here before a poll and
    /// takes it back after.
    processor: RefCell<Option<Box<Processor>>>,
    placing: Cell<Placing>,
    /// The tasks of the wake batch that is being collected.
    batch: RefCell<TaskQueue>,
    /// True if the running task is inside `block_in_place`: then its processor will not look at the
    /// tasks that it wakes for a while.
    blocking: Cell<bool>,
    /// True if the thread computes without a processor, and is counted among the helpers.
    computing: Cell<bool>,
    /// True if code that runs here holds up tasks while it blocks.
    is_async: Cell<bool>,
    /// The guards of a user's that found the thread in here already, and are alive.
    guards: Cell<u32>,
    /// True if it polls the root future of a `block_on`, which no shutdown drops.
    in_root: Cell<bool>,
    /// True if a thread that waits beside the machines was woken here since this was last asked.
    has_woken_sleeper: Cell<bool>,
    /// The root of the innermost loop that drives a current-thread runtime here.
    root: Cell<Option<RootRef>>,
}

impl Context {
    fn new(me: &Weak<Self>, scheduler: &Arc<Scheduler>, role: Role) -> Self {
        let placing = Placing::one_by_one(scheduler);
        let is_async = Cell::new(Self::begins_async(&role));
        Self {
            me: Weak::clone(me),
            outer: Self::with(|outer| outer.map_or_else(Weak::new, |outer| Weak::clone(&outer.me))),
            left_behind: Cell::new(false),
            scheduler: Arc::clone(scheduler),
            role,
            processor: RefCell::new(None),
            placing: Cell::new(placing),
            batch: RefCell::new(TaskQueue::new()),
            blocking: Cell::new(false),
            computing: Cell::new(false),
            is_async,
            guards: Cell::new(0),
            in_root: Cell::new(false),
            has_woken_sleeper: Cell::new(false),
            root: Cell::new(None),
        }
    }

    /// Calls `f` with the thread's innermost context. Not for running users' code, which may drop
    /// the guard that keeps the context. See [`current`](Self::current).
    #[inline]
    pub(crate) fn with<R>(f: impl FnOnce(Option<&Context>) -> R) -> R {
        let current = CURRENT.get();
        // SAFETY: the pointer is null or comes from an `Entered` on this thread, which keeps the
        // context alive until another is innermost that has this one not among those below it;
        // dropped before that, it leaks the context.
        f(unsafe { current.as_ref() })
    }

    /// Calls `f` with the thread's innermost context, if that is one of `scheduler`'s, as
    /// [`with`](Self::with) does.
    #[inline]
    pub(crate) fn with_own<R>(scheduler: &Scheduler, f: impl FnOnce(Option<&Context>) -> R) -> R {
        Self::with(|context| f(context.filter(|context| context.is_of(scheduler))))
    }

    /// The thread's innermost context, which stays while the caller has it, whatever becomes of the
    /// guard.
    pub(crate) fn current() -> Option<Rc<Self>> {
        Self::with(|context| context.and_then(|context| context.me.upgrade()))
    }

    /// This context, to stay whatever becomes of the guard.
    pub(crate) fn keep(&self) -> Option<Rc<Self>> {
        self.me.upgrade()
    }

    /// Calls `user_code` where callers may be inside [`with`](Self::with). If it drops the guard
    /// that keeps their context, that is leaked, since they use it afterwards. Nothing that a
    /// program does in its right mind; so it costs the cold callers only.
    #[cold]
    pub(crate) fn kept_during<R>(user_code: impl FnOnce() -> R) -> R {
        let kept = Self::current();
        let result = user_code();
        if let Some(last) = kept.filter(|kept| Rc::strong_count(kept) == 1) {
            std::mem::forget(last);
        }
        result
    }

    /// The runtime that the thread belongs to.
    pub(crate) fn current_scheduler() -> Option<Arc<Scheduler>> {
        Self::with(|context| context.map(|context| Arc::clone(&context.scheduler)))
    }

    /// The time on the clock of the current thread's runtime, or on the system's if there is none.
    #[inline]
    pub(crate) fn current_time() -> Instant {
        if !is_any_stopped() {
            return sync::now();
        }
        Self::with(|context| context.map_or_else(sync::now, |context| context.scheduler().clock.now_for_task()))
    }

    /// Enters `scheduler` on this thread, until the guard is dropped. For the runtime itself, whose
    /// guards never leave their place on the stack: contexts entered above and not left stay
    /// behind. A guard for users is made of it by [`for_users`](Entered::for_users).
    pub(crate) fn enter(scheduler: &Arc<Scheduler>, role: Role) -> Entered {
        let context = Rc::new_cyclic(|me| Context::new(me, scheduler, role));
        let previous = CURRENT.replace(Rc::as_ptr(&context));
        let reactor_before = wsrt_reactor::context::replace(Some(scheduler.reactor.clone()));
        Entered { context, previous, reactor_before, is_users: false }
    }

    fn is_innermost(&self) -> bool {
        ptr::eq(CURRENT.get(), self)
    }

    /// Pops the contexts that user code left above this one by leaking or keeping an `EnterGuard`,
    /// so that none of them is taken for the thread's runtime.
    #[inline]
    pub(crate) fn come_back(&self) {
        if !self.is_innermost() {
            self.leave_others_behind();
        }
    }

    #[cold]
    #[inline(never)]
    fn leave_others_behind(&self) {
        self.leave_behind(Self::current());
        self.make_innermost();
    }

    /// Leaves `others` behind, the innermost of those above this context: for those that were set
    /// aside and are not put back.
    pub(crate) fn leave_behind(&self, others: Option<Rc<Self>>) {
        let mut above = others;
        while let Some(context) = above.filter(|context| !ptr::eq(&raw const **context, self)) {
            context.left_behind.set(true);
            above = context.outer.upgrade();
        }
    }

    /// Makes this the innermost context again, and returns the contexts entered above it, for
    /// [`put_back`](Self::put_back).
    #[inline]
    pub(crate) fn set_others_aside(&self) -> Option<Rc<Self>> {
        if self.is_innermost() { None } else { self.set_aside() }
    }

    #[cold]
    #[inline(never)]
    fn set_aside(&self) -> Option<Rc<Self>> {
        let above = Self::current();
        self.make_innermost();
        above
    }

    /// Makes a context that was set aside the innermost again. Its guard has not been dropped
    /// in the meantime, or has leaked it.
    #[cold]
    #[inline(never)]
    pub(crate) fn put_back(aside: &Rc<Self>) {
        aside.make_innermost();
    }

    fn make_innermost(&self) {
        CURRENT.set(self.me.as_ptr());
        drop(wsrt_reactor::context::replace(Some(self.scheduler.reactor.clone())));
    }

    pub(crate) fn scheduler(&self) -> &Arc<Scheduler> {
        &self.scheduler
    }

    pub(crate) fn machine(&self) -> Option<&Arc<Machine>> {
        match &self.role {
            Role::Machine(machine) => Some(machine),
            Role::Blocking | Role::Watching | Role::External | Role::Ending | Role::Starting => None,
        }
    }

    /// Returns whether the thread is here to run blocking jobs.
    pub(crate) fn runs_jobs(&self) -> bool {
        matches!(self.role, Role::Blocking)
    }

    /// Records the machine's activity without a processor in its status, if this thread has a
    /// machine.
    pub(crate) fn set_off_processor(&self, off_processor: OffProcessor) {
        if let Some(machine) = self.machine() {
            machine.status().set_off_processor(off_processor);
        }
    }

    /// The task on this thread begins to block in place, or ends.
    pub(crate) fn note_in_place(&self, begins: bool) {
        self.scheduler.observer.blocks_in_place(begins);
    }

    /// Returns whether the end of `scheduler` waits for this thread, whatever the thread has
    /// entered since.
    pub(crate) fn is_awaited_by(scheduler: *const Scheduler) -> bool {
        let is_awaited = |role: &Role| !matches!(role, Role::External);
        Self::innermost_where(|context| is_awaited(&context.role) && context.is_of(scheduler)).is_some()
    }

    /// Returns whether this thread is in the user's function for the name of a thread of
    /// `scheduler`.
    pub(crate) fn names_a_thread_of(scheduler: *const Scheduler) -> bool {
        let names = |context: &Self| matches!(context.role, Role::Starting) && context.is_of(scheduler);
        Self::innermost_where(names).is_some()
    }

    /// The context in which this thread is a machine of `scheduler`, if it is, whatever the thread
    /// has entered since.
    pub(crate) fn of_machine_of(scheduler: *const Scheduler) -> Option<Rc<Self>> {
        Self::innermost_where(|context| context.is_of(scheduler) && context.machine().is_some())
    }

    /// The innermost context in which this thread runs tasks, or wakes those that are ready.
    pub(super) fn of_driver() -> Option<Rc<Self>> {
        Self::innermost_where(|context| context.machine().is_some() || context.placing() == Placing::InBatch)
    }

    /// The innermost context in which this thread is a machine, whatever guards a task has entered
    /// since.
    pub(crate) fn of_machine() -> Option<Rc<Self>> {
        Self::innermost_where(|context| context.machine().is_some())
    }

    fn innermost_where(is_wanted: impl Fn(&Self) -> bool) -> Option<Rc<Self>> {
        std::iter::successors(Self::current(), |inner| inner.outer.upgrade()).find(|context| is_wanted(context))
    }

    /// Returns whether the future polled here is about to be dropped: a task, or a future that its
    /// destructor polls, while its runtime shuts down. It may be left waiting for an event that
    /// will not come.
    pub(crate) fn drops_what_waits(&self) -> bool {
        let drops = match self.role {
            Role::Machine(_) => !self.in_root.get(),
            Role::Ending => true,
            Role::Blocking | Role::Watching | Role::External | Role::Starting => false,
        };
        drops && self.scheduler.shutdown.has_begun()
    }

    /// Calls `f`, which polls the root future of a `block_on`, or with `false` the tasks beside it,
    /// and does not unwind.
    pub(crate) fn with_root<R>(&self, in_root: bool, f: impl FnOnce() -> R) -> R {
        let outer = self.in_root.replace(in_root);
        let result = f();
        self.in_root.set(outer);
        result
    }

    /// The root of the innermost loop that drives this current-thread runtime on this thread.
    pub(super) fn root(&self) -> Option<RootRef> {
        self.root.get()
    }

    /// Makes `root` that, and returns the one before it.
    #[must_use]
    pub(super) fn replace_root(&self, root: Option<RootRef>) -> Option<RootRef> {
        self.root.replace(root)
    }

    /// Returns whether the future polled here is the root of a `block_on` that drives the runtime.
    pub(crate) fn is_in_root(&self) -> bool {
        self.in_root.get()
    }

    /// Returns whether this thread belongs to `scheduler`.
    pub(crate) fn is_of(&self, scheduler: *const Scheduler) -> bool {
        ptr::eq(Arc::as_ptr(&self.scheduler), scheduler)
    }

    pub(crate) fn put_processor(&self, processor: Box<Processor>) {
        let previous = self.processor.replace(Some(processor));
        debug_assert!(previous.is_none(), "a machine holds one processor at most");
    }

    /// Holds `processor` from now on, on this thread, for the task that runs here or comes next.
    pub(crate) fn take_up(&self, processor: Box<Processor>) {
        self.put_processor(self.begin_hold(processor));
    }

    /// Begins this thread's hold of `processor`, which stays in the caller's hands. Every hold
    /// begins here, and ends in [`put_down`](Self::put_down).
    pub(crate) fn begin_hold(&self, mut processor: Box<Processor>) -> Box<Processor> {
        let now = self.scheduler.clock.elapsed();
        processor.shared().busy().begin(now);
        processor.begin_hold(now);
        processor.set_observed(self.scheduler.observer.is_on());
        self.scheduler.observer.taken_up(processor.index());
        processor
    }

    /// Ends this thread's hold of `processor`, which the caller is about to give up.
    pub(crate) fn put_down(&self, processor: &Processor) {
        processor.shared().busy().end(self.scheduler.clock.elapsed());
        self.scheduler.observer.put_down(processor.index());
    }

    pub(crate) fn take_processor(&self) -> Option<Box<Processor>> {
        self.processor.take()
    }

    /// Calls `f` with the processor that the running task's machine holds, if it does.
    #[inline(always)]
    pub(crate) fn with_processor<R>(&self, f: impl FnOnce(Option<&mut Processor>) -> R) -> R {
        f(self.processor.borrow_mut().as_deref_mut())
    }

    /// Borrows the processor, for callers that let go of it themselves: before they may call users'
    /// code.
    #[inline(always)]
    pub(crate) fn borrow_processor(&self) -> RefMut<'_, Option<Box<Processor>>> {
        self.processor.borrow_mut()
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.blocking.get()
    }

    pub(crate) fn set_blocking(&self, blocking: bool) {
        self.blocking.set(blocking);
    }

    pub(crate) fn is_computing(&self) -> bool {
        self.computing.get()
    }

    /// Returns whether the thread is a machine in a parallel call: outside any task, in one that
    /// another thread has opened.
    pub(crate) fn is_helping(&self) -> bool {
        self.machine().is_some() && self.is_computing()
    }

    pub(crate) fn set_computing(&self, computing: bool) {
        self.computing.set(computing);
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("role", &self.role).finish_non_exhaustive()
    }
}

/// The place of this thread that holds the innermost context. To find it takes longer than to look
/// there.
#[derive(Clone, Copy)]
pub(crate) struct Innermost(NonNull<Cell<*const Context>>);

impl Innermost {
    pub(crate) fn of_this_thread() -> Self {
        Self(CURRENT.with(|current| NonNull::from(current)))
    }

    /// Comes back like [`Context::come_back`], for a context of the same thread.
    #[inline]
    pub(crate) fn come_back_to(self, context: &Context) {
        // SAFETY: it was a reference, of the thread that this value has not left, and the place has
        // no destructor: it is there as long as the thread is.
        if !ptr::eq(unsafe { self.0.as_ref() }.get(), context) {
            context.leave_others_behind();
        }
    }
}

// Whether code that runs on this thread is asynchronous: a task, or the future in `block_on`. Its
// blocking holds up others.

impl Context {
    /// Returns whether a task, or the future in `block_on`, runs on this thread: not so in a
    /// blocking job, nor inside `block_in_place`.
    pub(crate) fn is_async_here() -> bool {
        Self::with(|context| context.is_some_and(|context| context.is_async.get()))
    }

    /// The answer for a context that is about to be entered. A guard changes nothing about the code
    /// that holds it.
    fn begins_async(role: &Role) -> bool {
        match role {
            Role::Machine(_) => true,
            Role::Blocking | Role::Watching => false,
            Role::External | Role::Ending | Role::Starting => Self::is_async_here(),
        }
    }

    /// Runs a blocking job, which does not unwind, though a task runs on this thread.
    pub(crate) fn run_as_job(job: impl FnOnce()) {
        let here = Self::current();
        let was_async = here.as_ref().map(|here| here.replace_async(false));
        job();
        if let (Some(here), Some(was_async)) = (here, was_async) {
            let _ = here.replace_async(was_async);
        }
    }

    /// Sets the answer, and returns the previous one, for the caller to restore.
    pub(crate) fn replace_async(&self, is_async: bool) -> bool {
        self.is_async.replace(is_async)
    }
}

// The guard by which a thread is inside a runtime.

/// The thread is inside a runtime. Not Send: it stands for this thread's state.
pub(crate) struct Entered {
    context: Rc<Context>,
    previous: *const Context,
    /// The reactor context of before.
    reactor_before: Option<wsrt_reactor::context::ReactorContext>,
    /// True if it is a user's, so that it may be dropped at any time on this thread, or never.
    is_users: bool,
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
    /// Counts a guard of a user's, if the thread is in here by another. Inside a task or a
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

// Whether this thread has woken one that waits beside the machines, in `block_on` of a
// multi-thread runtime.

impl Context {
    /// Notes that such a thread was woken here.
    pub(crate) fn note_woken_sleeper(&self) {
        self.has_woken_sleeper.set(true);
    }

    /// Returns whether a sleeper was woken since the last call.
    pub(crate) fn take_woken_sleeper(&self) -> bool {
        self.has_woken_sleeper.replace(false)
    }
}

// Whether the current thread drives a simulation.

impl Context {
    /// The innermost context, if the machines of its runtime are simulated, and this is the thread
    /// that they run on.
    pub(crate) fn of_simulation() -> Option<Rc<Self>> {
        let drives = |context: &&Self| context.scheduler.simulation.as_ref().is_some_and(Simulation::is_driven_here);
        Self::with(|context| context.filter(drives).and_then(Self::keep))
    }
}

// Where the tasks go that are woken on this thread: to the queues, or into a batch.

/// Where tasks go that are woken now on this thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placing {
    /// One by one, to where they run soonest, as on a multi-thread runtime.
    Nearby,
    /// One by one, behind all that wait.
    InLine,
    /// They go into a [`WakeBatch`](crate::scheduler::worker::driver::WakeBatch), and are placed
    /// together afterwards.
    InBatch,
}

impl Placing {
    fn one_by_one(scheduler: &Scheduler) -> Self {
        if scheduler.config.keeps_order() { Self::InLine } else { Self::Nearby }
    }
}

impl Context {
    /// Tasks woken on this thread go into a batch from now on. Returns where it went before, for
    /// [`close_batch`](Self::close_batch).
    pub(in crate::scheduler) fn open_batch(&self) -> Placing {
        let outer = self.placing.replace(Placing::InBatch);
        debug_assert!(outer != Placing::InBatch, "wakers collect no batch");
        outer
    }

    /// Ends a batch, and returns its tasks.
    pub(in crate::scheduler) fn close_batch(&self, outer: Placing) -> TaskQueue {
        self.placing.set(outer);
        self.batch.replace(TaskQueue::new())
    }

    /// Places the tasks of the batch that is being collected, if there is one, and until
    /// [`reopen_batch`](Self::reopen_batch) each that is woken here: for a waker of a user's that
    /// is about to wait, perhaps for one of them.
    #[must_use]
    pub(in crate::scheduler) fn set_batch_aside(&self) -> bool {
        let is_open = self.placing() == Placing::InBatch;
        if is_open {
            let tasks = self.close_batch(Placing::one_by_one(&self.scheduler));
            self.scheduler.inject_all(tasks);
        }
        is_open
    }

    /// Tasks woken here go into the batch again.
    pub(in crate::scheduler) fn reopen_batch(&self) {
        self.placing.set(Placing::InBatch);
    }

    #[inline]
    pub(crate) fn placing(&self) -> Placing {
        self.placing.get()
    }

    /// Puts a task into the batch that is being collected.
    pub(crate) fn put_in_batch(&self, task: Runnable) {
        self.batch.borrow_mut().push_back(task);
    }
}
