//! `JoinSet`: many tasks, which are joined in the order in which they finish.
//!
//! Each child has its own waker, which posts the child's key to a list ([`Arrivals`]). So the
//! set finds the finished children without a search. A key only says where to look, since a waker
//! may be woken for no reason: the set polls the child's handle.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};

use slab::Slab;
use wsrt_reactor::budget;

use crate::runtime::Handle;
use crate::task;
use crate::task::{AbortHandle, Id, JoinError, JoinHandle, LocalSet};
use crate::util::inbox::Inbox;

mod builder;
#[cfg(test)]
mod tests;

pub use self::builder::Builder;

/// A collection of tasks with one output type, whose results are returned in the order of
/// completion.
///
/// The tasks run whether or not the set is awaited. Finding the next result takes the same time for
/// any number of tasks. Dropping the set aborts its tasks without waiting for them: each task is
/// cancelled the next time it waits. Use [`shutdown`](Self::shutdown) to wait until the tasks have
/// ended, or [`detach_all`](Self::detach_all) to let them run on.
///
/// Results stay in the set until they are taken. If a program keeps spawning into a set, it should
/// also take results out, with [`join_next`](Self::join_next) or with an occasional
/// [`try_join_next`](Self::try_join_next).
///
/// # Examples
///
/// ```
/// use wsrt::task::JoinSet;
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let mut squares = JoinSet::new();
/// for n in 1..=10_u32 {
///     squares.spawn(async move { n * n });
/// }
///
/// let mut sum = 0;
/// while let Some(square) = squares.join_next().await {
///     sum += square.expect("squaring does not panic");
/// }
/// assert_eq!(sum, 385);
/// # });
/// ```
#[must_use = "a set that is dropped aborts its tasks"]
pub struct JoinSet<T> {
    children: Slab<SetEntry<T>>,
    /// Keys that were taken from `arrivals`, and whose children were not polled yet.
    arrived: VecDeque<usize>,
    arrivals: Arc<Arrivals>,
}

/// A child whose result was not taken.
struct SetEntry<T> {
    handle: JoinHandle<T>,
    announcer: Waker,
}

impl<T> SetEntry<T> {
    fn poll(&mut self) -> Poll<Result<T, JoinError>> {
        self.handle.poll_result(&mut Context::from_waker(&self.announcer))
    }
}

impl<T> JoinSet<T> {
    /// Creates an empty set. Allocates little, and can be called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = wsrt::task::JoinSet::<u32>::new();
    /// assert!(set.is_empty());
    /// ```
    pub fn new() -> Self {
        Self { children: Slab::new(), arrived: VecDeque::new(), arrivals: Arc::default() }
    }

    /// Returns the number of tasks in the set, including finished ones not yet joined.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut set = wsrt::task::JoinSet::new();
    /// set.spawn(async {});
    /// set.spawn(async {});
    /// assert_eq!(set.len(), 2);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// Returns `true` if the set is empty. [`join_next`](Self::join_next) then returns `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut set = wsrt::task::JoinSet::new();
    /// set.spawn(async {});
    /// while set.join_next().await.is_some() {}
    /// assert!(set.is_empty());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Aborts all tasks in the set. They stay in the set until [`join_next`](Self::join_next)
    /// returns them.
    ///
    /// A task that completes before the abort takes effect still returns its output. Jobs of
    /// [`spawn_blocking`](Self::spawn_blocking) that have begun are not interrupted.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::<()>::new();
    /// set.spawn(std::future::pending());
    /// set.abort_all();
    /// let error = set.join_next().await.unwrap().unwrap_err();
    /// assert!(error.is_cancelled());
    /// # });
    /// ```
    pub fn abort_all(&mut self) {
        self.children.iter().for_each(|(_, child)| child.handle.abort());
    }

    /// Removes all tasks from the set. The tasks keep running, and their results are lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let mut set = JoinSet::new();
    /// set.spawn(async move { sender.send("done").unwrap() });
    /// set.detach_all();
    /// drop(set);
    /// let word = wsrt::task::spawn_blocking(move || receiver.recv());
    /// assert_eq!(word.await.unwrap(), Ok("done"));
    /// # });
    /// ```
    pub fn detach_all(&mut self) {
        // Children that finish from now on post to the old list, which no task reads.
        self.arrivals = Arc::default();
        self.arrived.clear();
        self.children.clear();
    }

    fn insert(&mut self, handle: JoinHandle<T>) -> AbortHandle {
        let abort_handle = handle.abort_handle();
        let place = self.children.vacant_entry();
        let key = place.key();
        let mut child = SetEntry { handle, announcer: announcer(&self.arrivals, key) };
        let is_done = child.handle.watch(&child.announcer);
        place.insert(child);
        if is_done {
            // The child's waker will not be woken, and the set may have returned pending before.
            self.arrivals.post(key);
        }
        abort_handle
    }
}

impl<T: 'static> JoinSet<T> {
    /// Spawns a future on the current runtime, adds the task to the set, and returns an
    /// [`AbortHandle`].
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// let abort_handle = set.spawn(std::future::pending::<()>());
    /// abort_handle.abort();
    /// assert!(set.join_next().await.unwrap().unwrap_err().is_cancelled());
    /// # });
    /// ```
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(task::spawn(future))
    }

    /// Spawns a future on the current runtime as a background task, like
    /// [`task::spawn_background`], adds the task to the set, and returns its abort handle.
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// set.spawn_background(async { 7 });
    /// assert_eq!(set.join_all().await, [7]);
    /// # });
    /// ```
    #[track_caller]
    pub fn spawn_background<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(task::spawn_background(future))
    }

    /// Spawns a future on `handle`'s runtime, adds the task to the set, and returns its abort
    /// handle. Can be called outside a runtime.
    ///
    /// If the runtime has been shut down, the task is cancelled immediately.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// let mut set = JoinSet::new();
    /// set.spawn_on(async { 7 }, runtime.handle());
    /// assert_eq!(runtime.block_on(set.join_all()), [7]);
    /// ```
    #[track_caller]
    pub fn spawn_on<F>(&mut self, future: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(handle.spawn(future))
    }

    /// Spawns a future that need not be `Send` on the current thread, adds the task to the set, and
    /// returns its abort handle.
    ///
    /// The task belongs to the current [`LocalSet`] if there is one, and otherwise to the
    /// current-thread runtime that this thread runs.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`task::spawn_local`], such as outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::rc::Rc;
    /// use wsrt::runtime::Builder;
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = Builder::new_current_thread().build().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// let shared = Rc::new(7);
    /// set.spawn_local({
    ///     let shared = Rc::clone(&shared);
    ///     async move { *shared }
    /// });
    /// assert_eq!(set.join_all().await, [7]);
    /// # });
    /// ```
    #[track_caller]
    pub fn spawn_local<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(task::spawn_local(future))
    }

    /// Spawns a future that need not be `Send` on `local_set`, adds the task to this set, and
    /// returns its abort handle.
    ///
    /// The task is polled only while `local_set` is polled.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::rc::Rc;
    /// use wsrt::task::{JoinSet, LocalSet};
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// let local = LocalSet::new();
    /// let mut set = JoinSet::new();
    /// let shared = Rc::new(7);
    /// set.spawn_local_on(async move { *shared }, &local);
    /// assert_eq!(local.block_on(&runtime, set.join_all()), [7]);
    /// ```
    #[track_caller]
    pub fn spawn_local_on<F>(&mut self, future: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(local_set.spawn_local(future))
    }

    /// Runs a blocking closure on the thread pool, adds the job to the set, and returns its abort
    /// handle.
    ///
    /// A job that has begun cannot be aborted, neither by the abort handle nor by dropping the set.
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// for n in 0..4 {
    ///     set.spawn_blocking(move || n);
    /// }
    /// assert_eq!(set.join_all().await.into_iter().sum::<i32>(), 6);
    /// # });
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, job: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(task::spawn_blocking(job))
    }

    /// Runs a blocking closure on the blocking thread pool of `handle`'s runtime, adds the job to
    /// the set, and returns its abort handle. Can be called outside a runtime.
    ///
    /// This method behaves like [`spawn_blocking`](Self::spawn_blocking) in all other respects.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let mut set = wsrt::task::JoinSet::new();
    /// set.spawn_blocking_on(|| 7, runtime.handle());
    /// assert_eq!(runtime.block_on(set.join_all()), [7]);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, job: F, handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(handle.spawn_blocking(job))
    }
}

/// Aborts the tasks that are left, and does not wait for them.
impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        self.abort_all();
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

// Results are held by value, so nothing is pinned.
impl<T> Unpin for JoinSet<T> {}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Spawns each future, as [`spawn`](JoinSet::spawn) does.
impl<T, F> Extend<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn extend<I: IntoIterator<Item = F>>(&mut self, futures: I) {
        futures.into_iter().for_each(|future| drop(self.spawn(future)));
    }
}

/// Spawns each future, as [`spawn`](JoinSet::spawn) does.
impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        let mut set = Self::new();
        set.extend(futures);
        set
    }
}

/// A result, and whose it is.
type Joined<T> = (Id, Result<T, JoinError>);

impl<T> JoinSet<T> {
    /// Waits until a task in the set finishes, and returns its result. Returns `None` if the set is
    /// empty. The task is removed from the set.
    ///
    /// Results are returned roughly in the order in which the tasks finish. The order is
    /// unspecified for tasks that finish at the same time on different processors.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: a result that was not returned stays in the set.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// set.spawn(async { 7 });
    /// assert_eq!(set.join_next().await.unwrap().unwrap(), 7);
    /// assert!(set.join_next().await.is_none());
    /// # });
    /// ```
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// Waits until a task in the set finishes, and returns its id and output, or `None` if the set
    /// is empty.
    ///
    /// This method waits like [`join_next`](Self::join_next), and returns the task's id as well. If
    /// the task has no output, [`JoinError::id`] returns the task's id.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: a result that was not returned stays in the set.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// let id = set.spawn(async { 7 }).id();
    /// assert_eq!(set.join_next_with_id().await.unwrap().unwrap(), (id, 7));
    /// # });
    /// ```
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        poll_fn(|cx| self.poll_join_next_with_id(cx)).await
    }

    /// Returns the result of a finished task, without waiting, or `None` if the set knows of none.
    ///
    /// A set learns that a task has finished a moment later. This method may return `None` although
    /// an [`AbortHandle`] reports that a task has finished.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::<()>::new();
    /// set.spawn(std::future::pending());
    /// assert!(set.try_join_next().is_none());
    /// # });
    /// ```
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.take_joined().map(|(_, result)| result)
    }

    /// Returns the id and output of a finished task, without waiting, or `None` if the set knows of
    /// none.
    ///
    /// This method is like [`try_join_next`](Self::try_join_next), and returns the task's id too.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut set = wsrt::task::JoinSet::new();
    /// let handle = set.spawn(async { 7 });
    /// let (id, value) = loop {
    ///     match set.try_join_next_with_id() {
    ///         Some(joined) => break joined?,
    ///         None => wsrt::task::yield_now().await,
    ///     }
    /// };
    /// assert_eq!((id, value), (handle.id(), 7));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        self.take_joined().map(with_id)
    }

    /// Polls for the result of a finished task, as [`join_next`](Self::join_next) does. Returns
    /// `Poll::Pending` and arranges to wake the task of `cx` if no task has finished, and
    /// `Poll::Ready(None)` if the set is empty.
    ///
    /// Only the waker of the most recent call is woken, also for tasks that are spawned later.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.poll_joined(cx).map(|joined| joined.map(|(_, result)| result))
    }

    /// Polls for the id and output of a finished task, as
    /// [`join_next_with_id`](Self::join_next_with_id) does. Returns `Poll::Pending` and arranges to
    /// wake the task of `cx` if no task has finished, and `Poll::Ready(None)` if the set is empty.
    ///
    /// Only the waker of the most recent call is woken, also for tasks that are spawned later.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    pub fn poll_join_next_with_id(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(Id, T), JoinError>>> {
        self.poll_joined(cx).map(|joined| joined.map(with_id))
    }

    /// Aborts all tasks in the set, and waits until they have ended. Their results are dropped.
    ///
    /// Jobs of [`spawn_blocking`](Self::spawn_blocking) that have begun are not interrupted:
    /// `shutdown` waits until they return.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, all tasks have been aborted, and tasks that
    /// have not ended are still in the set.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let resource = Arc::new(());
    /// let mut set = JoinSet::new();
    /// for _ in 0..10 {
    ///     let held = Arc::clone(&resource);
    ///     set.spawn(async move {
    ///         std::future::pending::<()>().await;
    ///         drop(held);
    ///     });
    /// }
    /// set.shutdown().await;
    /// assert_eq!(Arc::strong_count(&resource), 1);
    /// # });
    /// ```
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Waits for all tasks in the set, and returns their outputs in the order of completion.
    ///
    /// # Panics
    ///
    /// If a task panicked, this method panics with the same payload. Panics if a task was
    /// cancelled. The remaining tasks are then aborted.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, the outputs collected so far are lost, and the
    /// remaining tasks are aborted, because the future owns the set. To keep the outputs, call
    /// [`join_next`](Self::join_next) in a loop instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let set: JoinSet<u32> = (0..4).map(|n| async move { n }).collect();
    /// let mut outputs = set.join_all().await;
    /// outputs.sort();
    /// assert_eq!(outputs, [0, 1, 2, 3]);
    /// # });
    /// ```
    pub async fn join_all(mut self) -> Vec<T> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(result) = self.join_next().await {
            outputs.push(result.unwrap_or_else(|error| rethrow(error)));
        }
        outputs
    }

    fn poll_joined(&mut self, cx: &mut Context<'_>) -> Poll<Option<Joined<T>>> {
        budget::poll_spending(cx, |cx| self.poll_arrived(cx))
    }

    fn poll_arrived(&mut self, cx: &mut Context<'_>) -> Poll<Option<Joined<T>>> {
        loop {
            if let Some(joined) = self.take_arrived() {
                return Poll::Ready(Some(joined));
            }
            if self.is_empty() {
                return Poll::Ready(None);
            }
            ready!(self.arrivals.poll_take(cx, &mut self.arrived));
        }
    }

    fn take_joined(&mut self) -> Option<Joined<T>> {
        self.take_arrived().or_else(|| {
            self.arrivals.take(&mut self.arrived);
            self.take_arrived()
        })
    }

    /// Takes a result of the keys in `arrived`.
    fn take_arrived(&mut self) -> Option<Joined<T>> {
        while let Some(key) = self.arrived.pop_front() {
            let Some(child) = self.children.get_mut(key) else { continue };
            if let Poll::Ready(result) = child.poll() {
                let child = self.children.remove(key);
                return Some((child.handle.id(), result));
            }
        }
        None
    }
}

fn with_id<T>((id, result): Joined<T>) -> Result<(Id, T), JoinError> {
    result.map(|output| (id, output))
}

/// Resumes a task's panic, or panics with the error's text if the task was cancelled.
fn rethrow(error: JoinError) -> ! {
    match error.try_into_panic() {
        Ok(payload) => resume_unwind(payload),
        Err(error) => panic!("wsrt: `JoinSet::join_all`: {error}"),
    }
}

/// The keys that the wakers of finished children have posted.
type Arrivals = Inbox<usize>;

/// Returns the waker that posts `key`.
fn announcer(arrivals: &Arc<Arrivals>, key: usize) -> Waker {
    Waker::from(Arc::new(Announcer { arrivals: Arc::clone(arrivals), key }))
}

/// The waker of one child.
struct Announcer {
    arrivals: Arc<Arrivals>,
    key: usize,
}

impl Wake for Announcer {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.arrivals.post(self.key);
    }
}
