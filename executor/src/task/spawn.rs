//! The free functions of `wsrt::task`, which act on the current thread's runtime.

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
use crate::task::{Id, JoinHandle, SpawnOrigin, current_id};
use crate::util::sync::thread;

/// Calls `f` with the runtime of the current thread. The panic message names the operation
/// `wanted`.
///
/// The context is counted: `f` may run users' code, such as the drop of a refused job, which may
/// drop the guard with which the thread has entered the runtime.
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

/// Spawns a future on the runtime of the current thread. The panic message names the operation
/// `wanted`.
#[track_caller]
pub(crate) fn spawn_from<'a, F>(wanted: &str, future: F, origin: impl Into<SpawnOrigin<'a>>) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    // The context is not counted, to keep spawns cheap: steps that may run users' code are left to
    // `handle`.
    match Context::with(|context| context.map(|context| context.spawn(future, origin))) {
        Some(spawned) => spawned.handle(),
        None => refuse_outside(OUTSIDE, wanted),
    }
}

/// Spawns a future that stays on this thread: in the current set, or else on the runtime that this
/// thread drives. The panic message names the operation `wanted`.
#[track_caller]
pub(super) fn spawn_local_from<F>(wanted: &str, future: F, origin: SpawnOrigin<'_>) -> JoinHandle<F::Output>
where
    F: Future + 'static,
{
    match LocalTasks::current() {
        Some(set) => set.spawn(future, origin),
        None => with_local_scheduler(wanted, |scheduler| scheduler.spawn_local(future, origin)),
    }
}

/// Calls `f` with the `LocalRuntime` of this thread, or the runtime whose `block_on` runs here.
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

/// Spawns a future as a new task on the current runtime, and returns a handle to the task's result.
///
/// The new task takes the current processor's `runnext` slot, so it runs next on this processor
/// unless another processor steals it. The task that was in the slot before moves to the
/// processor's queue, from which idle processors steal. The new task runs even if its handle is
/// never awaited. Dropping the handle detaches the task.
///
/// On a multi-thread runtime, the order in which spawned tasks run is unspecified. On a
/// current-thread runtime, tasks run in the order in which they were spawned and woken. If the
/// runtime shuts down first, the task may never run.
///
/// # Panics
///
/// Panics if called outside a runtime. If the future panics, the panic stays inside the task, and
/// awaiting the handle returns the panic as a [`JoinError`].
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

/// Spawns a future as a background task on the current runtime, and returns a handle to the task's
/// result. Background tasks use only processor time that nothing else wants.
///
/// A processor polls a background task when it has nothing else to do: no other task is ready, on
/// any processor, no socket or timer has become ready, and no [parallel call](crate::parallel)
/// wants help. After each poll of a background task, the processor looks for other tasks first.
/// While all processors are busy with other tasks, background tasks get a small share of the time,
/// by default a hundredth
/// ([`Builder::background_share`](crate::runtime::Builder::background_share)), so that none of them
/// waits forever.
///
/// A task keeps its class for life, wherever it is woken. Tasks that a background task spawns with
/// [`spawn`] are ordinary tasks. Background tasks run in the order in which they were spawned and
/// woken, on whichever processor has time.
///
/// # Not guaranteed
///
/// A poll is never interrupted: other tasks may wait for as long as one poll of a background task
/// takes. So a computation should await [`yield_now`] every 100 µs or so. A poll that takes more
/// than a millisecond or two is treated like any other: a spare processor takes over the waiting
/// tasks.
///
/// A task that awaits a background task, or a lock that one holds, waits until the background task
/// gets the time.
///
/// # Panics
///
/// Panics if called outside a runtime. If the future panics, the panic stays inside the task, as in
/// [`spawn`].
///
/// # Examples
///
/// ```
/// use wsrt::task::{spawn_background, yield_now};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let index = spawn_background(async {
///     let mut words = 0;
///     for page in ["a small page", "another page"] {
///         words += page.split(' ').count();
///         // Requests come first.
///         yield_now().await;
///     }
///     words
/// });
/// assert_eq!(index.await?, 5);
/// # Ok::<(), wsrt::task::JoinError>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn spawn_background<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let spawned_at = Location::caller();
    boxed_if_large!(F, future => {
        with_scheduler("spawn_background", |scheduler| scheduler.spawn_background(future, spawned_at))
    })
}

/// Spawns a future that need not be `Send` as a task on the current thread, and returns a handle to
/// the task's result. Only the current thread polls and drops the future.
///
/// Inside a [`LocalSet`](crate::task::LocalSet), the task belongs to the set, and is polled while
/// the set is polled. Otherwise, the task belongs to the [`LocalRuntime`] that this thread is
/// inside, or to the current-thread runtime whose `block_on` runs on this thread. Such a task makes
/// progress only while the thread is in `block_on`.
///
/// # Panics
///
/// Panics if the current thread cannot run local tasks: outside a runtime, on a multi-thread
/// runtime without a `LocalSet`, and on threads that only use a current-thread runtime, in
/// `spawn_blocking` or with a guard of [`Handle::enter`](crate::runtime::Handle::enter). Polling
/// the task panics if `block_on` was called on another thread.
///
/// If a runtime is dropped on a thread other than the thread of its local tasks, the memory of the
/// local tasks' futures is leaked, and an error is reported on standard error. The same happens if
/// another thread polls a local task, or aborts a local task and then runs the runtime. Neither can
/// happen with a [`LocalRuntime`].
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
/// The pool starts threads as needed, up to the builder's `max_blocking_threads`. A thread exits
/// after it has been idle for the builder's `thread_keep_alive`. When all threads are busy, further
/// jobs wait in an unbounded queue. If the operating system refuses to create a thread, another
/// thread of the pool runs the job. If the pool has no thread, a processor runs the job.
///
/// A job that has begun cannot be cancelled: [`abort`](JoinHandle::abort) then has no effect.
/// Dropping the runtime waits for jobs that have begun or have a thread, and cancels all other
/// jobs.
///
/// # Panics
///
/// Panics if called outside a runtime. If the closure panics, awaiting the handle returns a
/// [`JoinError`](crate::task::JoinError).
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

/// Runs a blocking closure on the current thread, and lets another thread run the waiting tasks.
///
/// The call only marks the processor as blocked, which costs two stores, so a closure that returns
/// within microseconds causes no other work. If the closure takes longer, a spare processor takes
/// over the waiting tasks within a millisecond or two. Tasks that the closure wakes or spawns can
/// be run by other processors immediately.
///
/// `block_in_place` is cheaper than [`spawn_blocking`], and the closure can borrow from the task,
/// because nothing moves to another thread. However, other futures in the same task have to wait.
/// On a current-thread runtime, and on threads that hold no processor, the closure is simply
/// called. The closure has no [budget](crate::task::coop), so its operations are not limited.
///
/// # Panics
///
/// If the closure panics, this function panics with the same payload.
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

/// Yields to other tasks: the current task goes to the back of its worker's queue.
///
/// A loop that yields does not delay other work, because the processor checks its timers, the
/// global queue and the network between the turns of the loop as often as between any two tasks.
///
/// If no other task is ready and no idle thread watches the network, each yield first checks the
/// network with one system call, provided that a socket is registered. The tasks of sockets that
/// have become ready then run before the current task continues. The same applies to the future
/// that a thread runs in `block_on` of a current-thread runtime.
///
/// # Cancel safety
///
/// This function is cancel safe: nothing is lost if the future is dropped.
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

/// Returns the id of the current task.
///
/// # Panics
///
/// Panics if called outside a task. The future passed to `block_on` is not a task. [`try_id`]
/// returns `None` instead of panicking.
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

/// Returns the id of the current task, or `None` if called outside a task.
///
/// # Examples
///
/// ```
/// assert_eq!(wsrt::task::try_id(), None);
/// ```
pub fn try_id() -> Option<Id> {
    current_id()
}
