//! `TaskGroup`: tasks that end with their owner, and with the first of them that fails.
//!
//! Spawning is here, and [`joining`] has the waits. In [`siblings`] a child that fails cancels the
//! others.

mod joining;
mod siblings;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use crate::runtime::Handle;
use crate::task::large::boxed_if_large;
use crate::task::task_group::siblings::{Member, Siblings};
use crate::task::{AbortHandle, JoinError, JoinSet};

/// A group of tasks that work on one thing. They end with their owner, and the first error cancels
/// the others.
///
/// * **They end with their owner.** Dropping the group aborts its children: each is cancelled when
///   it next waits, and no task waits for that. An owner that is itself cancelled drops its group,
///   so that cancelling goes down the tree of tasks. [`cancel`](Self::cancel) waits until the
///   children are gone.
/// * **The first error cancels the rest.** A child that returns an `Err`, or panics, aborts its
///   siblings at once, whether the owner looks or not. [`join_all`](Self::join_all) and
///   [`next`](Self::next) return the error when all of them are gone; the panic continues there.
/// * **A limit on how many run at once**, with [`with_limit`](Self::with_limit). Children beyond it
///   wait in line, in the order of their spawns, before their first poll.
///
/// A group that has failed or was cancelled takes no more children: those that are spawned then are
/// dropped without a poll.
///
/// Use [`JoinSet`] where the tasks have nothing to do with each other's errors.
///
/// # Not guaranteed
///
/// A child may not stop at once: it stops when it next waits. A child that computes, blocks, or
/// runs under [`spawn_blocking`](crate::task::spawn_blocking) ends in its own time.
///
/// # Examples
///
/// ```
/// use wsrt::task::TaskGroup;
///
/// async fn fetch(page: u32) -> Result<u32, String> {
///     if page == 13 { Err("page 13 is missing".to_owned()) } else { Ok(page * 10) }
/// }
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut pages = TaskGroup::with_limit(4);
/// for page in 1..=10 {
///     pages.spawn(fetch(page));
/// }
/// assert_eq!(pages.join_all().await?.iter().sum::<u32>(), 550);
///
/// let mut pages = TaskGroup::new();
/// pages.spawn(std::future::pending());
/// pages.spawn(fetch(13));
/// assert_eq!(pages.join_all().await, Err("page 13 is missing".to_owned()));
/// # Ok::<(), String>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a group that is dropped aborts its tasks"]
pub struct TaskGroup<T, E> {
    children: JoinSet<(usize, Result<T, E>)>,
    siblings: Arc<Siblings>,
    /// Children spawned so far: the number of the next.
    spawned: usize,
    failure: Failure<E>,
}

/// The failure that the owner is told of when every child is gone.
struct Failure<E> {
    error: Option<E>,
    /// A child's panic, or that one was cancelled, and not by the group.
    lost: Option<JoinError>,
}

impl<E> Failure<E> {
    fn none() -> Self {
        Self { error: None, lost: None }
    }
}

impl<T: 'static, E: 'static> TaskGroup<T, E> {
    /// Creates an empty group without a limit on its children. It needs no runtime.
    pub fn new() -> Self {
        Self::with_places(None)
    }

    /// Creates an empty group that runs at most `most` children at a time. It needs no runtime.
    ///
    /// The others are spawned, and wait in line. A loop that spawns without end waits for
    /// [`room`](Self::room) first.
    ///
    /// # Panics
    ///
    /// Panics if `most` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    /// use wsrt::task::{TaskGroup, yield_now};
    ///
    /// static RUNNING: AtomicUsize = AtomicUsize::new(0);
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<(), ()>::with_limit(2);
    /// for _ in 0..10 {
    ///     group.spawn(async {
    ///         assert!(RUNNING.fetch_add(1, SeqCst) < 2);
    ///         yield_now().await;
    ///         RUNNING.fetch_sub(1, SeqCst);
    ///         Ok(())
    ///     });
    /// }
    /// assert!(group.join_all().await.is_ok());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn with_limit(most: usize) -> Self {
        assert!(most > 0, "wsrt: `TaskGroup::with_limit(0)`: a group that runs no child never ends");
        // More than that is no limit.
        Self::with_places(u32::try_from(most).ok().map(|most| most as usize))
    }

    fn with_places(places: Option<usize>) -> Self {
        Self { children: JoinSet::new(), siblings: Siblings::new(places), spawned: 0, failure: Failure::none() }
    }

    /// Spawns a future on the current runtime, as a child of the group.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F)
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send,
        E: Send,
    {
        boxed_if_large!(F, future => {
            let (key, child) = self.child(future);
            let handle = self.children.spawn(child);
            self.siblings.admit(key, handle);
        });
    }

    /// Spawns a future on the runtime of `handle`, from inside a runtime or not, as a child of the
    /// group.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, future: F, handle: &Handle)
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send,
        E: Send,
    {
        boxed_if_large!(F, future => {
            let (key, child) = self.child(future);
            let handle = self.children.spawn_on(child, handle);
            self.siblings.admit(key, handle);
        });
    }

    /// Spawns a future that need not be `Send`, as a child of the group: see
    /// [`spawn_local`](crate::task::spawn_local).
    ///
    /// # Panics
    ///
    /// Panics where [`spawn_local`](crate::task::spawn_local) does.
    #[track_caller]
    pub fn spawn_local<F>(&mut self, future: F)
    where
        F: Future<Output = Result<T, E>> + 'static,
    {
        boxed_if_large!(F, future => {
            let (key, child) = self.child(future);
            let handle: AbortHandle = self.children.spawn_local(child);
            self.siblings.admit(key, handle);
        });
    }

    /// A new child, with its key among its siblings.
    fn child<F>(&mut self, future: F) -> (usize, impl Future<Output = (usize, Result<T, E>)> + use<F, T, E>)
    where
        F: Future<Output = Result<T, E>>,
    {
        let membership = self.siblings.enroll(self.spawned);
        self.spawned += 1;
        let key = membership.key();
        let siblings = Arc::clone(&self.siblings);
        let body = async move {
            let _place = siblings.place().await;
            future.await
        };
        (key, Member::new(membership, body))
    }
}

impl<T, E> TaskGroup<T, E> {
    /// Returns the number of children in the group: all that were spawned, without those whose
    /// outputs were taken.
    #[must_use]
    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// Returns `true` if the group has no child.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    /// Returns `true` if a child has failed or the group was cancelled, so that it takes no more
    /// children.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.siblings.is_over()
    }
}

impl<T: 'static, E: 'static> Default for TaskGroup<T, E> {
    fn default() -> Self {
        Self::new()
    }
}

// Nothing is pinned: results are held as they are returned, by value.
impl<T, E> Unpin for TaskGroup<T, E> {}

impl<T, E> fmt::Debug for TaskGroup<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskGroup")
            .field("len", &self.len())
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}
