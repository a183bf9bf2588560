//! The tasks of one thread: a scheduler small enough to be polled as a future.
//!
//! The tasks are polled where the set is polled, and nowhere else: the set cannot leave its thread,
//! and holds futures that may not leave the thread either. Wakers can go anywhere. A wake on the
//! set's own thread puts the runnable into the set's queue; a wake elsewhere puts the runnable into
//! the inbox, which wakes the task that polls the set.
//!
//! A dropped set drops every task, and waits for runnables that other threads are about to put into
//! the inbox: a later runnable would have nowhere to go, and may not be dropped there.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::{Arc, Weak};
use std::task;

use wsrt_reactor::budget;
use wsrt_sync::current_task::LockOwner;
use wsrt_sync::drop_in::SET_ENDED;

use super::beside::MainRef;
use crate::observe::console;
use crate::observe::observer::ShownSet;
use crate::scheduler::core::limits::INTERVAL;
use crate::scheduler::runtime_id::RuntimeId;
use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, IdBlock, Identity, JoinHandle, OwnedTasks, Runnable, Schedule, SpawnOrigin, TaskRef, allocate};
use crate::util::backoff::Backoff;
use crate::util::inbox::Inbox;
use crate::util::sync::thread;

/// The only shard of a set's registry.
const SHARD: usize = 0;

thread_local! {
    /// The set that is being polled or was entered on this thread. Has no destructor, so that
    /// wakers may read it at any time.
    pub(super) static CURRENT: Cell<*const LocalTasks> = const { Cell::new(ptr::null()) };
}

/// The tasks of one set, as seen on the set's own thread.
pub(crate) struct LocalTasks {
    id: RuntimeId,
    shared: Arc<SharedTasks>,
    queue: RefCell<VecDeque<Runnable>>,
    /// An empty queue, kept for its memory.
    arrived: Cell<VecDeque<Runnable>>,
    ids: RefCell<IdBlock>,
    /// True if the set is being polled, so that newly queued tasks are found without a wake.
    polled: Cell<bool>,
    is_closing: Cell<bool>,
    /// The task or root future that polls the set.
    polled_by: Cell<LockOwner>,
    /// The future of the surrounding `run_until`, while the set's tasks are polled beside it.
    pub(super) main: Cell<Option<MainRef>>,
    /// The runtime in which the set was last polled, whose dumps show the set.
    known_to: RefCell<Weak<Scheduler>>,
    on_panic: Cell<OnPanic>,
}

/// What the panic of a task means for its set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnPanic {
    /// Nothing: the set continues.
    GoOn,
    /// The end: the set panics where it is polled.
    End,
    /// A task has panicked, and the set with it.
    Ended,
}

/// The part of a set that its tasks can reach from any thread.
pub(crate) struct SharedTasks {
    live: OwnedTasks,
    inbox: Inbox<Runnable>,
}

impl ShownSet for SharedTasks {
    fn live(&self) -> &OwnedTasks {
        &self.live
    }
}

/// A task's scheduler: a pointer to the task's set.
///
/// The pointer is not counted, like the pointer of a runtime's tasks: before a set is dropped, it
/// waits until each of its tasks is complete, and a runnable exists only while its task is not. The
/// owner of a runnable may therefore follow the pointer until the runnable is in a queue.
#[derive(Clone)]
struct LocalHome {
    set: *const SharedTasks,
}

// SAFETY: the pointer leads to a `SharedTasks`, which is Sync.
unsafe impl Send for LocalHome {}
// SAFETY: as above.
unsafe impl Sync for LocalHome {}

impl LocalHome {
    /// Puts the task into the set's queue if the set belongs to this thread, and returns whether
    /// the set's poller must be woken. Otherwise returns the task.
    fn enqueue_here(&self, task: Runnable) -> Result<bool, Runnable> {
        LocalTasks::with(|current| match current {
            Some(set) if ptr::eq(Arc::as_ptr(&set.shared), self.set) => Ok(set.enqueue(task)),
            _ => Err(task),
        })
    }

    /// Posts the task while holding a counted reference: as soon as the runnable is in the inbox,
    /// the set might be dropped by its own thread.
    #[inline(never)]
    fn post(&self, task: Runnable) {
        // SAFETY: `set` comes from `Arc::as_ptr`, and the runnable is in hand, so that it is alive.
        unsafe { Arc::increment_strong_count(self.set) };
        // SAFETY: the count was raised for this one.
        let set = unsafe { Arc::from_raw(self.set) };
        set.inbox.post(task);
    }
}

impl Schedule for LocalHome {
    fn schedule(&self, task: Runnable) {
        task.count_wake();
        match self.enqueue_here(task) {
            Ok(false) => {}
            Ok(true) => LocalTasks::rouse_current(),
            Err(task) => self.post(task),
        }
    }

    fn reschedule(&self, task: Runnable) {
        self.schedule(task);
    }

    #[cold]
    fn panicked(&self, _: &TaskRef, _: &(dyn Any + Send)) {
        LocalTasks::with(|current| {
            let home = current.filter(|set| ptr::eq(Arc::as_ptr(&set.shared), self.set));
            if let Some(set) = home.filter(|set| set.on_panic.get() == OnPanic::End) {
                set.on_panic.set(OnPanic::Ended);
            }
        });
    }

    fn release(&self, task: &TaskRef) -> Option<TaskRef> {
        // SAFETY: the task is listed until this call, on the set's own thread, and the set waits
        // for its list to be empty; a task that is refused is released by a method of the set.
        let set = unsafe { &*self.set };
        // SAFETY: a set binds its tasks to its own registry or to none; this is called once for
        // each.
        unsafe { set.live.remove(task) }
    }
}

impl LocalTasks {
    pub(crate) fn new() -> Rc<Self> {
        let shared = Arc::new(SharedTasks { live: OwnedTasks::new(1), inbox: Inbox::default() });
        Rc::new(Self {
            id: RuntimeId::next(),
            shared,
            queue: RefCell::default(),
            arrived: Cell::default(),
            ids: RefCell::default(),
            polled: Cell::new(false),
            is_closing: Cell::new(false),
            polled_by: Cell::new(LockOwner::current()),
            main: Cell::new(None),
            known_to: RefCell::default(),
            on_panic: Cell::new(OnPanic::GoOn),
        })
    }

    pub(crate) fn id(&self) -> RuntimeId {
        self.id
    }

    /// Returns the current thread's set, which stays alive for the caller even if its guard is
    /// dropped.
    pub(crate) fn current() -> Option<Rc<Self>> {
        let current = NonNull::new(CURRENT.get().cast_mut())?.as_ptr();
        // SAFETY: the pointer comes from `Rc::as_ptr`, of a set that is alive for the reason that
        // `with` gives.
        unsafe { Rc::increment_strong_count(current) };
        // SAFETY: the count was raised for this one.
        Some(unsafe { Rc::from_raw(current) })
    }

    /// Calls `f` with the current thread's set. Do not run users' code in `f`, which may drop the
    /// guard that keeps the set: see [`current`](Self::current).
    fn with<R>(f: impl FnOnce(Option<&Self>) -> R) -> R {
        // SAFETY: the pointer is null or comes from an `InSet` on this thread, which keeps the set
        // alive until it has put the one before it back, or is leaked.
        f(unsafe { CURRENT.get().as_ref() })
    }

    /// Makes this set the current thread's set until the guard is dropped.
    pub(crate) fn enter(self: &Rc<Self>) -> InSet {
        InSet { outer: CURRENT.replace(Rc::as_ptr(self)), set: Rc::clone(self) }
    }

    /// Spawns a future that is polled with the set. If the set is dropped, the handle reports a
    /// cancelled task.
    pub(crate) fn spawn<F>(&self, future: F, origin: SpawnOrigin<'_>) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
    {
        let id = self.ids.borrow_mut().next();
        let future = console::watch::<F, _>(future, "local", id.as_u64(), origin.name, origin.spawned_at);
        let identity = Identity::new(id, origin);
        let identity = Context::with(|context| match context {
            Some(context) => {
                let scheduler = context.scheduler();
                scheduler.simulation.iter().for_each(|simulation| simulation.note_task(id));
                scheduler.observer.identity(identity)
            }
            None => identity,
        });
        let home = LocalHome { set: Arc::as_ptr(&self.shared) };
        // SAFETY: runnables are run, cancelled and dropped by methods of the set, which is not
        // Send, and here. Those in the inbox are not dropped with it: while one exists its task is
        // not complete, and the set waits for that.
        let (task, runnable, handle) = unsafe { allocate(future, home, identity) };
        if self.shared.live.bind(SHARD, task).is_err() {
            runnable.cancel();
        } else if self.enqueue(runnable) {
            self.shared.inbox.rouse();
        }
        handle
    }

    /// Queues a task, and returns whether the task that polls the set must be woken.
    #[must_use]
    fn enqueue(&self, task: Runnable) -> bool {
        let mut queue = self.queue.borrow_mut();
        if self.shared.inbox.has_posts() {
            // Tasks woken elsewhere came first.
            self.shared.inbox.take(&mut queue);
        }
        queue.push_back(task);
        !self.polled.get()
    }

    /// Wakes the task that polls the current thread's set. The waker may be foreign and drop the
    /// set.
    #[cold]
    fn rouse_current() {
        if let Some(set) = Self::current() {
            set.shared.inbox.rouse();
        }
    }

    /// Polls the tasks that are ready, like [`poll_beside`](Self::poll_beside).
    pub(crate) fn poll_all(self: &Rc<Self>, cx: &task::Context<'_>) {
        let _inside = self.enter();
        let _polled = self.begin_polls();
        self.poll_tasks(cx);
    }

    /// Marks the set as being polled until the guard is dropped.
    pub(super) fn begin_polls(&self) -> Polled<'_> {
        self.make_known();
        if !self.polled.get() {
            self.polled_by.set(LockOwner::current());
        }
        Polled::begin(&self.polled)
    }

    pub(super) fn is_polled(&self) -> bool {
        self.polled.get()
    }

    /// Returns the task that polls the current thread's set, if any.
    pub(crate) fn polled_by() -> Option<Id> {
        Self::with(|current| current.filter(|set| set.is_polled())?.polled_by.get().task()).map(Id::from_number)
    }

    /// Registers the set with the runtime in which it is polled, if there is one.
    fn make_known(&self) {
        Context::with(|context| {
            let Some(scheduler) = context.map(Context::scheduler) else { return };
            // The weak reference keeps the address from being another runtime's.
            let mut known_to = self.known_to.borrow_mut();
            if !ptr::eq(known_to.as_ptr(), Arc::as_ptr(scheduler)) {
                *known_to = Arc::downgrade(scheduler);
                scheduler.observer.local_sets.add(Arc::downgrade(&self.shared) as Weak<dyn ShownSet>);
            }
        });
    }

    pub(super) fn poll_tasks(&self, cx: &task::Context<'_>) {
        let _outer = budget::keep();
        self.collect(cx);
        for _ in 0..INTERVAL {
            self.end_if_a_task_panicked();
            let Some(task) = self.next(cx) else { return };
            budget::refill();
            Self::poll(task);
        }
        cx.waker().wake_by_ref();
    }

    /// Polls a task inside the poll of the task or root future that polls the set, observed by the
    /// thread's runtime.
    fn poll(task: Runnable) {
        let context = Context::current();
        let _poll = context.as_ref().and_then(|context| context.scheduler().observer.polled_in_set(&task));
        task.run_counted();
    }

    /// Makes the panic of a task end the set, or not.
    pub(crate) fn end_on_panic(&self, does_end: bool) {
        self.on_panic.set(if does_end { OnPanic::End } else { OnPanic::GoOn });
    }

    fn end_if_a_task_panicked(&self) {
        if self.on_panic.get() == OnPanic::Ended {
            panic!("wsrt: {SET_ENDED}");
        }
    }

    fn next(&self, cx: &task::Context<'_>) -> Option<Runnable> {
        if self.queue.borrow().is_empty() {
            self.collect(cx);
        }
        self.queue.borrow_mut().pop_front()
    }

    /// Moves the tasks that were woken elsewhere to the end of the queue. If there are none, the
    /// next such task wakes `cx`'s task.
    fn collect(&self, cx: &task::Context<'_>) {
        let mut arrived = self.arrived.take();
        // The queue is not borrowed: the inbox clones and drops wakers, which are foreign
        // code.
        let _ = self.shared.inbox.poll_take(cx, &mut arrived);
        self.queue.borrow_mut().append(&mut arrived);
        self.arrived.set(arrived);
    }

    /// Returns whether all tasks have ended.
    pub(crate) fn is_empty(&self) -> bool {
        self.shared.live.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.shared.live.len()
    }

    /// Returns whether this thread is polling, or dropping with the set, a task or the future of a
    /// set.
    pub(crate) fn runs_here() -> bool {
        Self::with(|current| current.is_some_and(|set| set.polled.get() || set.is_closing.get()))
    }

    /// Drops all tasks of the set.
    pub(crate) fn close(self: &Rc<Self>) {
        self.is_closing.set(true);
        let _inside = self.enter();
        self.shared.live.close(TaskRef::shut_down);
        let mut backoff = Backoff::new();
        loop {
            self.shared.inbox.take(&mut self.queue.borrow_mut());
            // Popped in its own step: the destructors of a task may queue others.
            let next = self.queue.borrow_mut().pop_front();
            match next {
                Some(task) => task.cancel(),
                None if self.is_empty() => return,
                // Another thread has the runnable, and is a few instructions away from the inbox.
                None => backoff.wait(),
            }
        }
    }
}

/// Its tasks know where it is, and were waited for when the set was closed. A panic in the middle
/// of that, which nothing leads to, would leave some.
impl Drop for LocalTasks {
    fn drop(&mut self) {
        if !self.is_empty() {
            std::mem::forget(Arc::clone(&self.shared));
        }
    }
}

/// A guard that makes a set the current thread's set.
pub(crate) struct InSet {
    outer: *const LocalTasks,
    set: Rc<LocalTasks>,
}

impl Drop for InSet {
    fn drop(&mut self) {
        if CURRENT.get() == Rc::as_ptr(&self.set) {
            CURRENT.set(self.outer);
            return;
        }
        // A guard made later still points here, and will put this set back: it must never be freed.
        std::mem::forget(Rc::clone(&self.set));
        if !thread::panicking() {
            panic!(
                "wsrt: guards of `LocalSet::enter` have to be dropped in the reverse of the order in which they were made"
            );
        }
    }
}

/// A guard that marks a set as being polled.
pub(super) struct Polled<'a> {
    flag: &'a Cell<bool>,
    outer: bool,
}

impl<'a> Polled<'a> {
    fn begin(flag: &'a Cell<bool>) -> Self {
        Self { flag, outer: flag.replace(true) }
    }
}

impl Drop for Polled<'_> {
    fn drop(&mut self) {
        self.flag.set(self.outer);
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use std::future::{pending, poll_fn};
    use std::panic::Location;
    use std::task::{Poll, Waker};

    fn poll_once(set: &Rc<LocalTasks>) {
        let cx = task::Context::from_waker(Waker::noop());
        set.poll_all(&cx);
    }

    /// A count that each wake of each task changes is a line that all threads which wake one fight
    /// for.
    #[test]
    fn neither_tasks_nor_their_wakes_at_home_count_their_set() {
        let set = LocalTasks::new();
        let here = Rc::clone(&set);
        let mut polls = 0;
        let counting = poll_fn(move |cx| {
            cx.waker().wake_by_ref();
            assert_eq!(Arc::strong_count(&here.shared), 1);
            polls += 1;
            if polls == 3 { Poll::Ready(()) } else { Poll::Pending }
        });
        let counted = set.spawn(counting, Location::caller().into());
        drop(set.spawn(pending::<()>(), Location::caller().into()));
        assert_eq!(Arc::strong_count(&set.shared), 1);
        poll_once(&set);
        assert!(counted.is_finished());
        set.close();
        assert!(set.is_empty());
    }
}
