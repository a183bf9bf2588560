//! `TaskGroup`: tasks that end with their owner, or when the first of them fails.
//!
//! The children of a group share a list of their abort handles ([`Siblings`]), so that a child that
//! fails cancels the others immediately, whether or not the owner polls the group.

use std::future::{Future, pending};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};
use std::{fmt, mem};

use pin_project_lite::pin_project;
use slab::Slab;
use wsrt_sync::{CancellationToken, Semaphore};

use crate::runtime::Handle;
use crate::task::coop::unconstrained;
use crate::task::large::boxed_if_large;
use crate::task::{AbortHandle, JoinError, JoinSet};
use crate::util::sync::Mutex;

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
    /// The number of children spawned so far, which is the number of the next child.
    spawned: usize,
    failure: Failure<E>,
    /// Waits for the cancellation of the group's token, with the siblings as its waker.
    _watch: Option<Watch>,
}

type Watch = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

/// The failure that the owner gets when all children have ended.
struct Failure<E> {
    error: Option<E>,
    /// A child's panic, or a cancellation that was not the group's.
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
        // A larger number is no limit, since there are fewer tasks.
        Self::with_places(u32::try_from(most).ok().map(|most| most as usize))
    }

    fn with_places(places: Option<usize>) -> Self {
        let (siblings, failure) = (Siblings::new(places), Failure::none());
        Self { children: JoinSet::new(), siblings, spawned: 0, failure, _watch: None }
    }

    /// Cancels the group when `token` is cancelled: all children are aborted immediately, even if
    /// the owner is not waiting for them. A later call replaces the token.
    ///
    /// As after [`cancel`](Self::cancel), outputs that were not yet returned are dropped, and the
    /// group accepts no more children. [`next`](Self::next) returns `None`, and
    /// [`join_all`](Self::join_all) the outputs that it had collected: look at the token to know
    /// whether they are all.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::sync::CancellationToken;
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let token = CancellationToken::new();
    /// let mut group = TaskGroup::<(), ()>::new().until(&token);
    /// group.spawn(std::future::pending());
    /// token.cancel();
    /// assert_eq!(group.next().await, None);
    /// assert!(group.is_cancelled());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn until(mut self, token: &CancellationToken) -> Self {
        // The caller's poll neither pays for the watch, whose waker is no task's, nor waits for it.
        let mut watch: Watch = Box::pin(unconstrained(token.clone().cancelled_owned()));
        let waker = Waker::from(Arc::clone(&self.siblings));
        match watch.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(()) => self.siblings.cancel(),
            Poll::Pending => self._watch = Some(watch),
        }
        self
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
            self.siblings.admit(key, self.children.spawn(child));
        });
    }

    /// Spawns a future on the current runtime as a child of the group and a background task, like
    /// [`spawn_background`](crate::task::spawn_background).
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut thumbnails = TaskGroup::with_limit(4);
    /// for picture in 1..=10_u32 {
    ///     thumbnails.spawn_background(async move { Ok::<_, std::io::Error>(picture * picture) });
    /// }
    /// assert_eq!(thumbnails.join_all().await?.len(), 10);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_background<F>(&mut self, future: F)
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send,
        E: Send,
    {
        boxed_if_large!(F, future => {
            let (key, child) = self.child(future);
            self.siblings.admit(key, self.children.spawn_background(child));
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
            self.siblings.admit(key, self.children.spawn_on(child, handle));
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
            self.siblings.admit(key, self.children.spawn_local(child));
        });
    }

    /// Returns a new child, and its key among its siblings.
    fn child<F>(&mut self, future: F) -> (usize, impl Future<Output = (usize, Result<T, E>)> + use<F, T, E>)
    where
        F: Future<Output = Result<T, E>>,
    {
        let (membership, is_late) = self.siblings.enroll(self.spawned);
        self.spawned += 1;
        let (key, siblings) = (membership.key, Arc::clone(&self.siblings));
        let body = async move {
            if is_late {
                // The spawn aborts it. A worker may be faster, and poll it before.
                pending::<()>().await;
            }
            let _place = siblings.place().await;
            future.await
        };
        (key, GroupChild::new(membership, body))
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

// Results are held by value, so nothing is pinned.
impl<T, E> Unpin for TaskGroup<T, E> {}

impl<T, E> fmt::Debug for TaskGroup<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskGroup")
            .field("len", &self.len())
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

impl<T, E> TaskGroup<T, E> {
    /// Waits until a child has ended, and returns its output, or `None` if the group is empty.
    ///
    /// Outputs are returned in the order in which the children end. If a child has failed, this
    /// method waits until all other children have ended, drops their outputs, and returns the first
    /// error. The group is then empty.
    ///
    /// # Panics
    ///
    /// If a child panicked, this method panics with the same payload, after the other children have
    /// ended. Panics if a child was cancelled by the shutdown of its runtime.
    ///
    /// # Errors
    ///
    /// Returns the error of the child that failed first.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: outputs and errors not yet returned stay in the group.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<u32, std::io::Error>::new();
    /// for n in 1..=4 {
    ///     group.spawn(async move { Ok(n) });
    /// }
    /// let mut sum = 0;
    /// while let Some(output) = group.next().await {
    ///     sum += output?;
    /// }
    /// assert_eq!(sum, 10);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn next(&mut self) -> Option<Result<T, E>> {
        let next = self.next_numbered().await?;
        Some(next.map(|(_, output)| output))
    }

    /// Waits for all children, and returns their outputs in the order of the spawns.
    ///
    /// # Panics
    ///
    /// If a child panicked, this method panics with the same payload, after the other children have
    /// ended. Panics if a child was cancelled by the shutdown of its runtime.
    ///
    /// # Errors
    ///
    /// Returns the error of the child that failed first, after the other children have ended.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, the outputs collected so far are lost, and the
    /// remaining children are aborted, because the future owns the group. Therefore a
    /// [`timeout`](crate::time::timeout) around this call cancels the whole group.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::task::TaskGroup;
    /// use wsrt::time::{sleep, timeout};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<_, std::io::Error>::new();
    /// for n in [2_u64, 1] {
    ///     group.spawn(async move {
    ///         sleep(Duration::from_millis(n)).await;
    ///         Ok(n)
    ///     });
    /// }
    /// let outputs = timeout(Duration::from_secs(5), group.join_all()).await??;
    /// assert_eq!(outputs, [2, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn join_all(mut self) -> Result<Vec<T>, E> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(next) = self.next_numbered().await {
            outputs.push(next?);
        }
        outputs.sort_unstable_by_key(|(number, _)| *number);
        Ok(outputs.into_iter().map(|(_, output)| output).collect())
    }

    /// Waits until the group has room for another child: fewer children run than the limit allows,
    /// and none wait in line. Returns immediately if the group has no limit.
    ///
    /// Outputs of children that have ended stay in the group until they are taken.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: it does not reserve the room.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<(), std::io::Error>::with_limit(8);
    /// for request in 0..100 {
    ///     group.room().await;
    ///     group.spawn(async move { Ok(drop(request)) });
    ///     while group.len() > 50 {
    ///         group.next().await.expect("it is not empty")?;
    ///     }
    /// }
    /// group.join_all().await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn room(&mut self) {
        drop(self.siblings.place().await);
    }

    /// Aborts all children, and waits until they have ended. Their results are dropped.
    ///
    /// # Cancel safety
    ///
    /// All children are aborted by the first poll, and end even if the future is then dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::TaskGroup;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut group = TaskGroup::<(), ()>::new();
    /// group.spawn(std::future::pending());
    /// group.cancel().await;
    /// assert!(group.is_empty() && group.is_cancelled());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn cancel(&mut self) {
        self.siblings.cancel();
        self.children.shutdown().await;
        self.failure = Failure::none();
    }

    async fn next_numbered(&mut self) -> Option<Result<(usize, T), E>> {
        while let Some(joined) = self.children.join_next().await {
            match joined {
                Ok((number, Ok(output))) if !self.is_cancelled() => return Some(Ok((number, output))),
                // The group is cancelled, and the output is dropped.
                Ok((_, Ok(_))) => {}
                Ok((number, Err(error))) => {
                    if self.siblings.first_failure() == Some(number) {
                        self.failure.error = Some(error);
                    }
                }
                Err(error) => self.keep(error),
            }
        }
        self.failure.take().map(Err)
    }

    /// Records a panic, or a cancellation that the group did not ask for.
    fn keep(&mut self, error: JoinError) {
        if error.is_cancelled() && self.is_cancelled() {
            return;
        }
        self.siblings.cancel();
        self.failure.lost.get_or_insert(error);
    }
}

impl<E> Failure<E> {
    /// Takes the error after all children have ended, or resumes a child's panic.
    fn take(&mut self) -> Option<E> {
        let error = self.error.take();
        match self.lost.take().map(JoinError::try_into_panic) {
            None => error,
            Some(Ok(payload)) => resume_unwind(payload),
            Some(Err(lost)) => panic!("wsrt: a child of a `TaskGroup` was lost: {lost}"),
        }
    }
}

/// The children of one group that have not ended.
#[derive(Debug)]
struct Siblings {
    state: Mutex<GroupState>,
    /// A permit for each child that may run at once, if the group has a limit.
    places: Option<Arc<Semaphore>>,
}

#[derive(Debug, Default)]
struct GroupState {
    /// The handle is `None` while the child is being spawned.
    children: Slab<Option<AbortHandle>>,
    /// The number of the child that failed first.
    first_failure: Option<usize>,
    is_over: bool,
}

impl Siblings {
    fn new(places: Option<usize>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), places: places.map(|places| Arc::new(Semaphore::new(places))) })
    }

    /// Returns whether the children were cancelled. Then the group accepts no more children.
    fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    /// Returns the number of the child that failed first, if a child has failed.
    fn first_failure(&self) -> Option<usize> {
        self.state.lock().first_failure
    }

    /// Adds an entry for a child that is about to be spawned. Returns whether the group is over
    /// already.
    fn enroll(self: &Arc<Self>, number: usize) -> (Membership, bool) {
        let mut state = self.state.lock();
        let (key, is_late) = (state.children.insert(None), state.is_over);
        (Membership { key, number, siblings: Arc::clone(self) }, is_late)
    }

    /// Stores the handle of the child with this key, which was spawned and may have ended since. If
    /// the group is over, aborts the child instead.
    fn admit(&self, key: usize, handle: AbortHandle) {
        let mut state = self.state.lock();
        if state.is_over {
            drop(state);
            return handle.abort();
        }
        if let Some(child) = state.children.get_mut(key) {
            *child = Some(handle);
        }
    }

    /// Aborts all children, and accepts no more children.
    fn cancel(&self) {
        let mut state = self.state.lock();
        state.is_over = true;
        let handles: Vec<_> = state.children.iter_mut().filter_map(|(_, child)| child.take()).collect();
        // Without the lock, since an abort may start a thread, which runs the user's hooks.
        drop(state);
        handles.iter().for_each(AbortHandle::abort);
    }

    /// Waits for a place, which is held until the guard is dropped.
    async fn place(&self) -> Option<impl Send + use<>> {
        let places = Arc::clone(self.places.as_ref()?);
        Some(places.acquire_owned().await.expect("the semaphore is never closed"))
    }
}

/// The token's cancellation wakes the siblings, which cancels them.
impl Wake for Siblings {
    fn wake(self: Arc<Self>) {
        self.cancel();
    }
}

/// A child's entry among its siblings, which is removed when the child is dropped.
#[derive(Debug)]
struct Membership {
    siblings: Arc<Siblings>,
    key: usize,
    number: usize,
}

impl Membership {
    fn fail(&self) {
        // The child itself is not aborted, so that its error is returned.
        let own = self.siblings.state.lock().fail(self.key, self.number);
        drop(own);
        self.siblings.cancel();
    }
}

impl GroupState {
    #[must_use]
    fn fail(&mut self, key: usize, number: usize) -> Option<AbortHandle> {
        // A child that fails after the group was cancelled is not the reason.
        if !self.is_over {
            self.first_failure.get_or_insert(number);
        }
        self.children.get_mut(key)?.take()
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let own = self.siblings.state.lock().children.try_remove(self.key);
        drop(own);
    }
}

pin_project! {
    /// The future of a child: `body`, whose error or panic cancels the siblings.
    struct GroupChild<F> {
        #[pin]
        body: F,
        membership: Membership,
    }
}

impl<F> GroupChild<F> {
    fn new(membership: Membership, body: F) -> Self {
        Self { body, membership }
    }
}

impl<F, T, E> Future for GroupChild<F>
where
    F: Future<Output = Result<T, E>>,
{
    /// The child's number, and its result.
    type Output = (usize, Result<T, E>);

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let unwinding = FailsByUnwinding(this.membership);
        let polled = this.body.poll(context);
        mem::forget(unwinding);
        let result = ready!(polled);
        if result.is_err() {
            this.membership.fail();
        }
        Poll::Ready((this.membership.number, result))
    }
}

/// Cancels the siblings if the poll of a child unwinds.
struct FailsByUnwinding<'a>(&'a Membership);

impl Drop for FailsByUnwinding<'_> {
    fn drop(&mut self) {
        self.0.fail();
    }
}
