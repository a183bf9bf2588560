//! A collection of tasks that are found by their keys and joined in the order in which they finish.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::hash::Hash;

use crate::runtime::Handle;
use crate::task::{AbortHandle, Id, JoinError, JoinSet};

/// A collection of tasks with a key for each task, such as one task per connection, so that tasks
/// can be found and aborted by key.
///
/// A `JoinMap` is a [`JoinSet`] with keys. Dropping the map aborts all of its tasks. Results are
/// kept in the map until [`join_next`](Self::join_next) returns them.
///
/// Spawning a task under a key that is in use replaces the earlier task: the earlier task is
/// aborted, and its result is dropped.
///
/// # Examples
///
/// ```
/// use wsrt::task::JoinMap;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut rooms = JoinMap::new();
/// rooms.spawn("kitchen", async { 21 });
/// rooms.spawn("cellar", std::future::pending());
///
/// assert!(rooms.abort("cellar"));
/// while let Some((room, degrees)) = rooms.join_next().await {
///     match room {
///         "kitchen" => assert_eq!(degrees?, 21),
///         _ => assert!(degrees.unwrap_err().is_cancelled()),
///     }
/// }
/// # Ok::<(), wsrt::task::JoinError>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a map that is dropped aborts its tasks"]
pub struct JoinMap<K, V> {
    tasks: JoinSet<V>,
    /// The task that has the key now.
    by_key: HashMap<K, AbortHandle>,
    /// The keys of the tasks in `by_key`. A replaced task has no key.
    keys: HashMap<Id, K>,
}

impl<K, V> JoinMap<K, V> {
    /// Creates an empty map. Can be called outside a runtime.
    pub fn new() -> Self {
        Self { tasks: JoinSet::new(), by_key: HashMap::new(), keys: HashMap::new() }
    }

    /// Returns the number of tasks in the map, including finished ones not yet joined.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Returns `true` if the map contains no tasks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Returns an iterator over the keys in the map, in no particular order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.by_key.keys()
    }

    /// Aborts all tasks in the map. They stay in the map until [`join_next`](Self::join_next)
    /// returns them.
    pub fn abort_all(&mut self) {
        self.tasks.abort_all();
    }
}

impl<K: Hash + Eq + Clone, V: 'static> JoinMap<K, V> {
    /// Spawns a future on the current runtime, and adds the task to the map under `key`. If another
    /// task has this key, the other task is aborted and replaced.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, key: K, future: F)
    where
        F: Future<Output = V> + Send + 'static,
        V: Send,
    {
        let task = self.tasks.spawn(future);
        self.put(key, task);
    }

    /// Spawns a future on `handle`'s runtime, and adds the task to the map under `key`. If another
    /// task has this key, the other task is aborted and replaced. Can be called outside a runtime.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, key: K, future: F, handle: &Handle)
    where
        F: Future<Output = V> + Send + 'static,
        V: Send,
    {
        let task = self.tasks.spawn_on(future, handle);
        self.put(key, task);
    }

    /// Spawns a future that need not be `Send` on the current thread, like
    /// [`spawn_local`](crate::task::spawn_local), and adds the task to the map under `key`. If
    /// another task has this key, the other task is aborted and replaced.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`spawn_local`](crate::task::spawn_local).
    #[track_caller]
    pub fn spawn_local<F>(&mut self, key: K, future: F)
    where
        F: Future<Output = V> + 'static,
    {
        let task = self.tasks.spawn_local(future);
        self.put(key, task);
    }

    /// Runs a blocking closure on the blocking thread pool, like
    /// [`spawn_blocking`](crate::task::spawn_blocking), and adds the job to the map under `key`. If
    /// another task has this key, the other task is aborted and replaced. A job that has begun runs
    /// on.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, key: K, job: F)
    where
        F: FnOnce() -> V + Send + 'static,
        V: Send,
    {
        let task = self.tasks.spawn_blocking(job);
        self.put(key, task);
    }

    fn put(&mut self, key: K, task: AbortHandle) {
        self.keys.insert(task.id(), key.clone());
        if let Some(replaced) = self.by_key.insert(key, task) {
            replaced.abort();
            self.keys.remove(&replaced.id());
        }
    }
}

impl<K: Hash + Eq, V: 'static> JoinMap<K, V> {
    /// Waits until a task in the map finishes, and returns its key and result. Returns `None` if
    /// the map is empty. The task is removed from the map.
    ///
    /// # Errors
    ///
    /// The result is a [`JoinError`] if the task panicked or was cancelled.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: a result that was not returned stays in the map.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut rooms = wsrt::task::JoinMap::new();
    /// rooms.spawn("kitchen", async { 19 });
    /// // In the other's place.
    /// rooms.spawn("kitchen", async { 21 });
    /// let (room, degrees) = rooms.join_next().await.expect("one is left");
    /// assert_eq!((room, degrees?), ("kitchen", 21));
    /// assert!(rooms.join_next().await.is_none());
    /// # Ok::<(), wsrt::task::JoinError>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn join_next(&mut self) -> Option<(K, Result<V, JoinError>)> {
        loop {
            let (id, result) = match self.tasks.join_next_with_id().await? {
                Ok((id, output)) => (id, Ok(output)),
                Err(error) => (error.id(), Err(error)),
            };
            // The result of a replaced task is dropped.
            if let Some(key) = self.keys.remove(&id) {
                self.by_key.remove(&key);
                return Some((key, result));
            }
        }
    }

    /// Aborts all tasks in the map, and waits until they have ended. Their results are dropped.
    ///
    /// # Cancel safety
    ///
    /// All tasks are aborted when the future is first polled. If the future is dropped later, tasks
    /// that have not ended stay in the map, and can still be joined.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut rooms = wsrt::task::JoinMap::new();
    /// rooms.spawn("cellar", std::future::pending::<()>());
    /// rooms.shutdown().await;
    /// assert!(rooms.is_empty());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Aborts the task with the given key. The task stays in the map until it is joined. Returns
    /// `false` if no task has this key.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut rooms = wsrt::task::JoinMap::new();
    /// rooms.spawn(7, std::future::pending::<()>());
    /// assert!(rooms.abort(&7) && !rooms.abort(&8));
    /// let (_, ended) = rooms.join_next().await.expect("it is there");
    /// assert!(ended.unwrap_err().is_cancelled());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn abort<Q>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.by_key.get(key).map(AbortHandle::abort).is_some()
    }

    /// Returns `true` if the map contains a task with the given key, including a finished task
    /// whose result has not been taken.
    #[must_use]
    pub fn contains_key<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.by_key.contains_key(key)
    }
}

impl<K, V> Default for JoinMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> fmt::Debug for JoinMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinMap").field("len", &self.len()).finish_non_exhaustive()
    }
}
