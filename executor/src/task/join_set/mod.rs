//! `JoinSet`: many tasks, waited for in the order in which they finish.
//!
//! Waiting is here and in [`joining`]; [`arrivals`] is how a set learns which child is done without
//! asking the others.

mod arrivals;
mod builder;
mod joining;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use slab::Slab;

pub use self::builder::Builder;
use crate::runtime::Handle;
use crate::task;
use crate::task::join_set::arrivals::{Arrivals, announcer};
use crate::task::{AbortHandle, JoinError, JoinHandle, LocalSet};

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
    children: Slab<Child<T>>,
    /// Keys taken from `arrivals` and not yet looked at.
    arrived: VecDeque<usize>,
    arrivals: Arc<Arrivals>,
}

/// A child whose result was not taken yet.
struct Child<T> {
    handle: JoinHandle<T>,
    announcer: Waker,
}

impl<T> Child<T> {
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
        // Those that are done just now announce themselves to the old list, where no task looks.
        self.arrivals = Arc::default();
        self.arrived.clear();
        self.children.clear();
    }

    fn insert(&mut self, handle: JoinHandle<T>) -> AbortHandle {
        let abort_handle = handle.abort_handle();
        let place = self.children.vacant_entry();
        let key = place.key();
        let mut child = Child { handle, announcer: announcer(&self.arrivals, key) };
        let is_done = child.handle.watch(&child.announcer);
        place.insert(child);
        if is_done {
            // No other waker will. And the set may have been polled, found pending, and only then
            // spawned into.
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

// Nothing is pinned: results are held as they are returned, by value.
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
