//! A set of tasks that need not be `Send`, for use on any runtime.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use wsrt_sync::drop_in;

use crate::local::tasks::{InSet, LocalTasks};
use crate::runtime::{Runtime, RuntimeId};
use crate::task::JoinHandle;
use crate::task::large::boxed_if_large;

/// A set of tasks that need not be `Send`, all of which run on the thread that polls the set.
///
/// A multi-thread runtime moves tasks between threads. Futures that must not be moved can be
/// spawned on a `LocalSet`, which stays on one thread. The set is polled by
/// [`block_on`](Self::block_on), by [`run_until`](Self::run_until), or by awaiting the set itself,
/// which completes when all of its tasks have. Inside the set,
/// [`spawn_local`](crate::task::spawn_local) adds tasks to the set, and
/// [`spawn`](crate::task::spawn::spawn) still spawns tasks on the runtime.
///
/// The tasks make progress only while the set is polled. They run in the order in which they were
/// woken. After 61 polls, the task that polls the set yields to the runtime's other tasks. A task
/// that blocks delays all other tasks of the set, because no spare processor can take over. While a
/// task of the set is in `block_on`, or in a blocking call of [`wsrt::sync`](crate::sync), the
/// other tasks run inside that call.
///
/// A current-thread runtime needs no `LocalSet`, because `spawn_local` works there directly.
///
/// # Cancel safety
///
/// Dropping the set drops every task that has not completed, where it waits, and the task's join
/// handle returns a cancelled error. Awaiting `&mut local` and dropping the future loses nothing.
///
/// # Examples
///
/// ```
/// use std::rc::Rc;
/// use wsrt::task::{LocalSet, spawn_local};
///
/// let runtime = wsrt::runtime::Runtime::new()?;
/// let local = LocalSet::new();
/// let sum = local.block_on(&runtime, async {
///     let shared = Rc::new(5);
///     let theirs = Rc::clone(&shared);
///     *shared + spawn_local(async move { *theirs }).await.expect("it does not panic")
/// });
/// assert_eq!(sum, 10);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct LocalSet {
    tasks: Rc<LocalTasks>,
}

impl LocalSet {
    /// Creates an empty set. Can be called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let set = wsrt::task::LocalSet::new();
    /// let shared = std::rc::Rc::new(7);
    /// assert_eq!(set.run_until(async move { *shared }).await, 7);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { tasks: LocalTasks::new() }
    }

    pub(crate) fn tasks(&self) -> &LocalTasks {
        &self.tasks
    }

    /// Returns the set's id, which is unique among the sets and runtimes of the process.
    #[must_use]
    pub fn id(&self) -> RuntimeId {
        self.tasks.id()
    }

    /// Spawns a future on the set, from inside or outside the set, and returns a handle to the
    /// task's result. The task is polled only while the set is polled.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::LocalSet;
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let local = LocalSet::new();
    /// let task = local.spawn_local(async { 7 });
    /// assert_eq!(local.block_on(&runtime, task).expect("it does not panic"), 7);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        boxed_if_large!(F, future => self.tasks.spawn(future, Location::caller().into()))
    }

    /// Runs `future` and the tasks of the set on the current thread, inside `runtime`, until
    /// `future` completes. Returns the output of `future`.
    ///
    /// Tasks that have not completed stay in the set, and continue when the set is polled again.
    ///
    /// # Panics
    ///
    /// If `future` panics, this method panics with the same payload.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let set = wsrt::task::LocalSet::new();
    /// let value = set.block_on(&runtime, async {
    ///     let shared = std::rc::Rc::new(7);
    ///     wsrt::task::spawn_local(async move { *shared }).await
    /// })?;
    /// assert_eq!(value, 7);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn block_on<F: Future>(&self, runtime: &Runtime, future: F) -> F::Output {
        drop_in::refuse_to_drive_a_set();
        boxed_if_large!(F, future => self.block_on_here(runtime, future))
    }

    #[track_caller]
    fn block_on_here<F: Future>(&self, runtime: &Runtime, future: F) -> F::Output {
        runtime.block_on(self.run_until(future))
    }

    /// Runs `future` and the tasks of the set until `future` completes, and returns its output.
    ///
    /// Tasks that have not completed stay in the set, and continue when the set is polled again. If
    /// several futures poll the same set, a task that is woken wakes the future that polled the set
    /// last.
    ///
    /// # Cancel safety
    ///
    /// This method is as cancel safe as `future`. The tasks of the set lose nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::{LocalSet, spawn_local};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let local = LocalSet::new();
    /// let seven = local.run_until(async { spawn_local(async { 7 }).await });
    /// assert_eq!(seven.await.expect("it does not panic"), 7);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn run_until<F: Future>(&self, future: F) -> F::Output {
        RunUntil { tasks: &self.tasks, future }.await
    }

    /// Makes the panic of a task end the set, which then panics where it is polled, or not.
    #[doc(hidden)]
    pub fn __end_on_panic(&self, does_end: bool) {
        self.tasks.end_on_panic(does_end);
    }

    /// Enters the set: until the returned guard is dropped,
    /// [`spawn_local`](crate::task::spawn_local) on this thread adds tasks to the set.
    ///
    /// # Panics
    ///
    /// Dropping a guard panics unless guards are dropped in the reverse order of their creation.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let set = wsrt::task::LocalSet::new();
    /// let task = {
    ///     let _entered = set.enter();
    ///     wsrt::task::spawn_local(async { 7 })
    /// };
    /// assert_eq!(set.run_until(task).await?, 7);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn enter(&self) -> LocalEnterGuard {
        LocalEnterGuard { _inside: self.tasks.enter() }
    }
}

/// Is ready when every task of the set has ended.
impl Future for LocalSet {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.tasks.poll_all(cx);
        if self.tasks.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Default for LocalSet {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for LocalSet {
    fn drop(&mut self) {
        self.tasks.close();
    }
}

impl fmt::Debug for LocalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSet").field("len", &self.tasks.len()).finish_non_exhaustive()
    }
}

pin_project! {
    struct RunUntil<'a, F> {
        tasks: &'a Rc<LocalTasks>,
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for RunUntil<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        this.tasks.poll_beside(cx, this.future)
    }
}

/// A guard that keeps the current thread inside a [`LocalSet`]. Returned by [`LocalSet::enter`].
/// Dropping the guard leaves the set.
#[must_use = "the set is left as soon as the guard is dropped"]
pub struct LocalEnterGuard {
    _inside: InSet,
}

impl fmt::Debug for LocalEnterGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalEnterGuard").finish_non_exhaustive()
    }
}
