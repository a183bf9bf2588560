//! The free functions of `wsrt::task`: they work on the runtime that the current thread belongs to.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use wsrt_sync::drop_in::{self, LOCAL_ELSEWHERE, NOWHERE_LOCAL, OUTSIDE};

use crate::blocking::{in_place, jobs};
use crate::local::tasks::LocalTasks;
use crate::scheduler::{Context, RuntimeFlavor, Scheduler};
use crate::task::large::boxed_if_large;
use crate::task::{Id, JoinHandle, Origin, current_id};
use crate::util::sync::thread;

/// Calls `f` with the runtime that the current thread belongs to; `wanted` is the operation that
/// needs one, for the message.
///
/// With a counted context: `f` may run users' code, such as the drop of a job that is refused,
/// which may drop the guard with which the thread has entered the runtime.
#[track_caller]
pub(crate) fn with_scheduler<R>(wanted: &str, f: impl FnOnce(&Arc<Scheduler>) -> R) -> R {
    match Context::current() {
        Some(context) => f(context.scheduler()),
        None => refuse_outside(OUTSIDE, wanted),
    }
}

#[cold]
#[track_caller]
fn refuse_outside(words: &str, wanted: &str) -> ! {
    panic!(
        "wsrt: {words}`{wanted}` was called outside a wsrt runtime: call it inside `#[wsrt::main]`, a spawned task or \
         `Runtime::block_on`, or while the guard of `Handle::enter` is held"
    )
}

/// Spawns a future on the runtime that the current thread belongs to; `wanted` is the operation
/// that needs one, for the message.
#[track_caller]
pub(crate) fn spawn_from<'a, F>(wanted: &str, future: F, origin: impl Into<Origin<'a>>) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    // Not counted, since each spawn would pay for it: steps that might run users' code are left to
    // `handle`.
    match Context::with(|context| context.map(|context| context.spawn(future, origin))) {
        Some(spawned) => spawned.handle(),
        None => refuse_outside(OUTSIDE, wanted),
    }
}

/// Spawns a future that stays on this thread: in the set that is current here, or else on the
/// runtime that this thread drives. `wanted` is the operation that needs one of them, for the
/// message.
#[track_caller]
pub(super) fn spawn_local_from<F>(wanted: &str, future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
where
    F: Future + 'static,
{
    match LocalTasks::current() {
        Some(set) => set.spawn(future, origin),
        None => with_local_scheduler(wanted, |scheduler| scheduler.spawn_local(future, origin)),
    }
}

/// Calls `f` with the runtime whose home this thread is, or whose `block_on` is running on it.
#[track_caller]
fn with_local_scheduler<R>(wanted: &str, f: impl FnOnce(&Arc<Scheduler>) -> R) -> R {
    let Some(context) = Context::current() else { refuse_outside(NOWHERE_LOCAL, wanted) };
    let scheduler = context.scheduler();
    if let Some(home) = scheduler.config.home {
        assert!(
            home == thread::current().id(),
            "wsrt: {LOCAL_ELSEWHERE}`{wanted}` was called on another thread than that which has built the `LocalRuntime`"
        );
    } else {
        assert!(
            !drop_in::IS_ON && scheduler.config.flavor == RuntimeFlavor::CurrentThread && context.machine().is_some(),
            "wsrt: {NOWHERE_LOCAL}`{wanted}` needs a `LocalSet` that is being polled, a `LocalRuntime`, or a current-thread \
             runtime and the thread that is in its `block_on`: use `spawn`, `LocalSet::run_until` or \
             `#[wsrt::main(flavor = \"current_thread\")]`"
        );
    }
    f(scheduler)
}

/// Spawns a future on the current runtime, and returns a handle to its result.
///
/// The task may run at once on another processor, or later on this one: it goes to the current
/// processor's `runnext`, and the task that was there before goes to the processor's ring, where
/// idle processors find it. It runs whether the handle is awaited or not; dropping the handle
/// detaches the task.
///
/// On a multi-thread runtime nothing is promised about the order in which spawned tasks run; on a
/// current-thread one it is that in which they were spawned and woken. A task may not run at all
/// when the runtime shuts down first.
///
/// # Panics
///
/// Panics if called outside a runtime. A panic of the future itself stays in the task: the handle
/// gives it as a [`JoinError`].
///
/// [`JoinError`]: crate::task::JoinError
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let handle = wsrt::spawn(async { 6 * 7 });
/// assert_eq!(handle.await?, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    boxed_if_large!(F, future => spawn_from("spawn", future, Location::caller()))
}

/// Spawns a future that need not be `Send` on this thread, which alone polls and drops it.
///
/// Inside a [`LocalSet`](crate::task::LocalSet) the task belongs to that set, and is polled when
/// the set is. Outside one it belongs to the [`LocalRuntime`] that this thread is inside, or
/// to the current-thread runtime whose `block_on` is running on it, and waits while none is.
///
/// # Panics
///
/// Panics where there is no set: outside a runtime, on a multi-thread runtime, and on threads that
/// only visit a current-thread runtime, such as the threads of `spawn_blocking`, or with the guard
/// of [`Handle::enter`](crate::runtime::Handle::enter). When the task is polled, if `block_on` was
/// called on another thread.
///
/// A runtime that is dropped on another thread than its local tasks' leaks their futures, memory
/// and all, and reports it on standard error. So it does with a local task that another thread
/// polls, or aborts and then drives the runtime. With a [`LocalRuntime`] neither can happen.
///
/// [`LocalRuntime`]: crate::runtime::LocalRuntime
///
/// # Examples
///
/// ```
/// use std::rc::Rc;
///
/// let runtime = wsrt::runtime::Builder::new_current_thread().build()?;
/// let shared = Rc::new(5);
/// let sum = runtime.block_on(async {
///     let theirs = Rc::clone(&shared);
///     *shared + wsrt::task::spawn_local(async move { *theirs }).await.expect("it does not panic")
/// });
/// assert_eq!(sum, 10);
/// # Ok::<(), std::io::Error>(())
/// ```
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    boxed_if_large!(F, future => spawn_local_from("spawn_local", future, Location::caller().into()))
}

/// Runs a blocking closure on the blocking thread pool, and returns a handle to its result.
///
/// Threads are started as they are needed, up to the builder's `max_blocking_threads`, and end when
/// they had nothing to do for its `thread_keep_alive`. Beyond the limit, jobs wait in a queue
/// without bound. If the system refuses a thread, the job is run by one of the others, or, if there
/// is none, on a processor.
///
/// A job that has begun cannot be cancelled: [`abort`](JoinHandle::abort) then does nothing.
/// Dropping the runtime waits for jobs that have begun, or that a thread was started for, and
/// cancels the others.
///
/// # Panics
///
/// Panics if called outside a runtime. If the closure panics, awaiting the handle returns the panic
/// as a [`JoinError`](crate::task::JoinError).
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let read = wsrt::task::spawn_blocking(|| std::fs::read_to_string("/proc/self/comm"));
/// let name = read.await??;
/// assert!(!name.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn spawn_blocking<F, T>(job: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let spawned_at = Location::caller();
    with_scheduler("spawn_blocking", |scheduler| jobs::spawn_blocking(scheduler, job, spawned_at))
}

/// Runs a blocking closure on the current thread, while another thread runs the tasks that wait
/// here.
///
/// The processor is only marked as blocked, which costs two stores, so that a call that is over in
/// microseconds costs nothing else. If it lasts, a spare processor stands in, and takes over the
/// tasks that wait on this one, within a millisecond or two. Tasks that the closure wakes or spawns
/// go where others find them at once.
///
/// Cheaper than [`spawn_blocking`] where the closure borrows from the task, since nothing has to
/// move; but the other futures in the same task wait. On a current-thread runtime, and on threads
/// that hold no processor, the closure is just called. It has no [budget](crate::task::coop): what
/// is ready in there is ready, however often.
///
/// # Panics
///
/// Only if the closure does.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let text = String::from("borrowed, not moved");
/// let length = wsrt::spawn(async move {
///     wsrt::task::block_in_place(|| {
///         std::thread::sleep(std::time::Duration::from_millis(1));
///         text.len()
///     })
/// });
/// assert_eq!(length.await?, 19);
/// # Ok::<(), wsrt::task::JoinError>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn block_in_place<F, R>(block: F) -> R
where
    F: FnOnce() -> R,
{
    drop_in::refuse_to_block_in_place(LocalTasks::runs_here);
    in_place::block_in_place(block)
}

/// Yields: the current task goes to the back of its worker's queue.
///
/// Between two turns of a task that yields, the processor looks at its timers, the injector and the
/// network as often as it does between any two tasks; so a loop that yields does not hold up
/// anything.
///
/// Where no other task has anything to run, and no idle processor's thread watches the network,
/// each yield looks at it first, if any socket is registered: the runtime sees readiness that has
/// arrived by then, and the tasks that waited for it have their turn. That is one system call. It
/// does so too for the future that a thread waits for in `block_on` of a current-thread runtime.
///
/// # Cancel safety
///
/// Nothing is lost if the future is dropped.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// for _ in 0..3 {
///     wsrt::task::yield_now().await;
/// }
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn yield_now() {
    YieldNow { yielded: false }.await;
}

struct YieldNow {
    yielded: bool,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut PollContext<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Returns the id of the running task.
///
/// # Panics
///
/// Panics if called outside a task; the future given to `block_on` is no task. [`try_id`] does not
/// panic.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let handle = wsrt::spawn(async { wsrt::task::id() });
/// let id = handle.id();
/// assert_eq!(handle.await?, id);
/// # Ok::<(), wsrt::task::JoinError>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn id() -> Id {
    try_id().expect("wsrt: `task::id` was called outside a task; use `task::try_id` where there may be none")
}

/// Returns the id of the running task, if there is one.
///
/// # Examples
///
/// ```
/// assert_eq!(wsrt::task::try_id(), None);
/// ```
pub fn try_id() -> Option<Id> {
    current_id()
}
