//! The context: which runtime the current thread belongs to, and which processor it holds.

use std::cell::{Cell, RefCell, RefMut};
use std::mem::ManuallyDrop;
use std::rc::Rc;
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
    /// The innermost context of this thread, which owns those below it. Without a destructor, so
    /// that wakers may ask at any time, while the thread ends too.
    static INNERMOST: ManuallyDrop<RefCell<Option<Rc<Context>>>> = const { ManuallyDrop::new(RefCell::new(None)) };
    /// The address of that context, or null: to be compared with, and followed by
    /// [`with`](Context::with), for which a count or a borrow costs too much (`docs/DECISIONS.md`).
    static ADDRESS: Cell<*const Context> = const { Cell::new(ptr::null()) };
}

/// Makes `context` the innermost of this thread, and returns the one before.
fn replace_innermost(context: Option<Rc<Context>>) -> Option<Rc<Context>> {
    ADDRESS.set(context.as_ref().map_or(ptr::null(), Rc::as_ptr));
    INNERMOST.with(|innermost| innermost.replace(context))
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
    /// The context that was innermost when this one was entered.
    outer: Option<Rc<Self>>,
    /// True if its guard is gone, so that the thread does not come back to it.
    is_left: Cell<bool>,
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
    /// Creates a context above the innermost one, without entering it.
    pub(crate) fn beside(scheduler: &Arc<Scheduler>, role: Role) -> Rc<Self> {
        let outer = Self::current();
        let begins_async = match role {
            Role::Machine(_) => true,
            Role::Blocking | Role::Watching => false,
            // A guard changes nothing about the code that holds it.
            Role::External | Role::Ending | Role::Starting => outer.as_ref().is_some_and(|outer| outer.is_async.get()),
        };
        Rc::new(Self {
            outer,
            is_left: Cell::new(false),
            scheduler: Arc::clone(scheduler),
            role,
            processor: RefCell::new(None),
            placing: Cell::new(Placing::one_by_one(scheduler)),
            batch: RefCell::new(TaskQueue::new()),
            blocking: Cell::new(false),
            computing: Cell::new(false),
            is_async: Cell::new(begins_async),
            guards: Cell::new(0),
            in_root: Cell::new(false),
            has_woken_sleeper: Cell::new(false),
            root: Cell::new(None),
        })
    }

    /// Returns the thread's innermost context.
    #[inline]
    pub(crate) fn current() -> Option<Rc<Self>> {
        INNERMOST.with(|innermost| innermost.borrow().clone())
    }

    /// Calls `f` with the thread's innermost context. `f` leaves no context that was entered before
    /// the call: users' code, which may drop a guard, runs in a context of its own
    /// ([`Role::Starting`]) or while the caller holds [`current`](Self::current).
    #[inline]
    pub(crate) fn with<R>(f: impl FnOnce(Option<&Context>) -> R) -> R {
        // SAFETY: the address is null or the context's that `INNERMOST` owns: `replace_innermost`
        // writes both. `f` does not leave that context, so that it stays during the call.
        f(unsafe { ADDRESS.get().as_ref() })
    }

    /// Calls `f` with the thread's innermost context, if that is one of `scheduler`'s.
    #[inline]
    pub(crate) fn with_own<R>(scheduler: &Scheduler, f: impl FnOnce(Option<&Context>) -> R) -> R {
        Self::with(|context| f(context.filter(|context| context.is_of(scheduler))))
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
        let context = Self::beside(scheduler, role);
        drop(replace_innermost(Some(Rc::clone(&context))));
        let reactor_before = wsrt_reactor::context::replace(Some(scheduler.reactor.clone()));
        Entered { context, reactor_before, is_users: false }
    }

    #[inline]
    pub(super) fn is_innermost(&self) -> bool {
        ptr::eq(ADDRESS.get(), self)
    }

    /// Returns whether the thread will come back to this context.
    fn is_on_stack(self: &Rc<Self>) -> bool {
        Self::innermost_where(|context| ptr::eq(context, &raw const **self)).is_some()
    }

    /// Makes this the innermost context again, if users' code has left others above it: by guards
    /// that it has forgotten, or keeps somewhere. No other is to be taken for their runtime's.
    #[inline]
    pub(crate) fn come_back(self: &Rc<Self>) {
        if !self.is_innermost() {
            drop(self.make_innermost());
        }
    }

    /// Makes this the innermost context again, and returns the contexts entered above it, for
    /// [`put_back`](Self::put_back).
    #[inline]
    pub(crate) fn set_others_aside(self: &Rc<Self>) -> Option<Rc<Self>> {
        if self.is_innermost() { None } else { self.make_innermost() }
    }

    /// Makes a context that was set aside the innermost again; without those whose guards were
    /// dropped meanwhile.
    pub(crate) fn put_back(aside: &Rc<Self>) {
        if let Some(innermost) = Self::first_not_left(Some(aside)) {
            drop(innermost.make_innermost());
        }
    }

    fn first_not_left(inner: Option<&Rc<Self>>) -> Option<&Rc<Self>> {
        std::iter::successors(inner, |inner| inner.outer.as_ref()).find(|context| !context.is_left.get())
    }

    /// Returns the innermost context of before.
    #[cold]
    #[inline(never)]
    fn make_innermost(self: &Rc<Self>) -> Option<Rc<Self>> {
        drop(wsrt_reactor::context::replace(Some(self.scheduler.reactor.clone())));
        replace_innermost(Some(Rc::clone(self)))
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
        std::iter::successors(Self::current(), |inner| inner.outer.clone()).find(|context| is_wanted(context))
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

    /// The place of that root, for the loop that begins.
    pub(super) fn innermost_root(&self) -> &Cell<Option<RootRef>> {
        &self.root
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

// Whether code that runs on this thread is asynchronous: a task, or the future in `block_on`. Its
// blocking holds up others.

impl Context {
    /// Returns whether a task, or the future in `block_on`, runs on this thread: not so in a
    /// blocking job, nor inside `block_in_place`.
    pub(crate) fn is_async_here() -> bool {
        Self::with(|context| context.is_some_and(|context| context.is_async.get()))
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

    /// Goes back to the context below this one: a user's guard, to the first whose guard is there.
    /// The runtime's leaves nothing else, since its callers may be in [`Context::with`].
    fn restore(&mut self) {
        let below = self.context.outer.as_ref();
        let next = if self.is_users { Context::first_not_left(below) } else { below };
        let is_next_below = next.map(Rc::as_ptr) == below.map(Rc::as_ptr);
        let reactor = match next {
            Some(next) if !is_next_below => Some(next.scheduler.reactor.clone()),
            _ => self.reactor_before.take(),
        };
        let left = replace_innermost(next.cloned());
        drop(wsrt_reactor::context::replace(reactor));
        drop(left);
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
        if last != self.number && self.context.is_on_stack() {
            refuse_the_order();
        }
    }
}

impl std::ops::Deref for Entered {
    type Target = Rc<Context>;

    fn deref(&self) -> &Rc<Context> {
        &self.context
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if !self.is_users {
            self.context.come_back();
        }
        self.context.is_left.set(true);
        if self.context.is_innermost() {
            self.restore();
        } else if self.context.is_on_stack() {
            refuse_the_order();
        }
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
        let drives = |context: &Rc<Self>| context.scheduler.simulation.as_ref().is_some_and(Simulation::is_driven_here);
        Self::current().filter(drives)
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
