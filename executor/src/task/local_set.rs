//! `LocalSet`: tasks that need not be Send, on any runtime.

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

/// Runs futures that need not be `Send` as tasks, all on the thread that polls the set.
///
/// A multi-thread runtime moves its tasks between threads. A future that may not be moved
/// goes into a set, which stays on one thread and is polled there: by [`block_on`](Self::block_on),
/// [`run_until`](Self::run_until), or as its own future, which is ready when all of its tasks
/// are. Inside it, [`spawn_local`](crate::task::spawn_local) adds to it and
/// [`spawn`](crate::task::spawn::spawn) goes to the runtime as ever.
///
/// Tasks run only while the set is polled, in the order in which they were woken, 61 of them before
/// the task that polls it lets others have their turn. One that does not yield holds up all of
/// them: no spare processor stands in. In `block_on` and in the blocking calls of
/// [`wsrt::sync`](crate::sync) the other tasks run inside the call.
///
/// On a current-thread runtime no set is needed: `spawn_local` works there by itself.
///
/// # Cancel safety
///
/// Dropping the set drops every task that is not complete, where it waits, and its handle says
/// cancelled. To await `&mut local` and to drop that loses nothing.
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
    /// Creates an empty set. It needs no runtime.
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

    /// Spawns a future into the set, from inside it or not. It is polled when the set is.
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

    /// Waits for `future` on this thread, inside `runtime`, while it polls the tasks of the set.
    ///
    /// The tasks that are left when it is done stay in the set, and continue when it is polled
    /// again.
    ///
    /// # Panics
    ///
    /// With the panic of `future`.
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

    /// Waits for `future`, while it polls the tasks of the set.
    ///
    /// The tasks that are left when it is done stay in the set, and continue when it is polled
    /// again. Where several futures poll one set in turns, a task that is woken wakes the one that
    /// was polled last.
    ///
    /// # Cancel safety
    ///
    /// This is as cancel safe as `future` is. The tasks of the set lose nothing.
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

    /// Makes [`spawn_local`](crate::task::spawn_local) add to this set on this thread, until the
    /// guard is dropped.
    ///
    /// # Panics
    ///
    /// Panics, when the guard is dropped, unless guards are dropped in the reverse of the order in
    /// which they were made: the drop panics otherwise.
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

/// A guard of [`LocalSet::enter`], which leaves the set when it is dropped.
#[must_use = "the set is left as soon as the guard is dropped"]
pub struct LocalEnterGuard {
    _inside: InSet,
}

impl fmt::Debug for LocalEnterGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalEnterGuard").finish_non_exhaustive()
    }
}
