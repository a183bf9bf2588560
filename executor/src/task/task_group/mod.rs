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

/// A group of tasks that end with the group's owner, and in which the first error cancels the
/// others.
///
/// * **Tasks end with their owner.** Dropping the group aborts its tasks, which are called the
///   group's children, without waiting for them: each child is cancelled the next time it waits. If
///   the owner of the group is cancelled itself, its group is dropped, so a cancellation reaches
///   the whole tree of tasks. [`cancel`](Self::cancel) also waits until the children have ended.
/// * **The first error cancels the rest.** If a child returns an `Err` or panics, its siblings are
///   aborted immediately, even if the owner is not waiting for them. [`join_all`](Self::join_all)
///   and [`next`](Self::next) return the error, or resume the panic, once all children have ended.
/// * **The number of running children can be limited** with [`with_limit`](Self::with_limit).
///   Others wait in line before their first poll, in the order of their spawns.
///
/// A group that has failed or was cancelled accepts no more children: a future that is spawned
/// later is dropped without being polled.
///
/// Use a [`JoinSet`] if an error of one task should not affect the other tasks.
///
/// # Not guaranteed
///
/// An aborted child may not stop immediately: it stops the next time it waits. A child that
/// computes, blocks, or waits for [`spawn_blocking`](crate::task::spawn_blocking) may take longer.
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
    /// Creates an empty group without a limit. Can be called outside a runtime.
    pub fn new() -> Self {
        Self::with_places(None)
    }

    /// Creates an empty group that runs at most `most` children at once.
    ///
    /// Children beyond the limit are spawned too, and wait in line. A loop that spawns an unlimited
    /// number of children should wait for [`room`](Self::room) before each spawn.
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

    /// Spawns a future on the current runtime as a child of the group.
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

    /// Spawns a future on `handle`'s runtime as a child. Can be called outside a runtime.
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

    /// Spawns a future that need not be `Send` on the current thread as a child of the group, like
    /// [`spawn_local`](crate::task::spawn_local).
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`spawn_local`](crate::task::spawn_local).
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
    /// Returns the number of children in the group, including ended ones whose outputs were not
    /// taken.
    #[must_use]
    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// Returns `true` if the group has no children.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    /// Returns `true` if a child has failed or the group was cancelled. It then accepts no
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
