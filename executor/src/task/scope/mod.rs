//! Scopes: tasks that borrow values which are not `'static`.
//!
//! A future that borrows can be spawned if it is certain to be dropped before its borrows end.
//! [`TaskScope`] forgets the lifetime of the futures of its children, in one line of unsafe code,
//! and two functions make certain that they are dropped in time. Both give out the scope for a
//! lifetime `'scope` that their caller cannot choose, and that is exact, as std's `thread::scope`
//! does: no type of the caller's can name it, so that a child borrows nothing that ends earlier,
//! and neither the scope nor a handle can leave.
//!
//! # Why `scope` is sound
//!
//! The borrowed values are on the caller's stack or further out. [`scope()`] is synchronous, so it
//! cannot be forgotten in the middle: it returns or unwinds.
//!
//! * It waits until each child's future has been dropped. The child's output is inside the future
//!   or in the [`ScopedJoinHandle`], which cannot outlive `'scope`. Wakers and the task's cell have
//!   nothing of the future.
//! * A panic of the closure or of a child, in a poll or in a destructor, is kept, cancels the
//!   children, and continues after the wait.
//! * The wait itself may unwind, in a simulation whose host crashes. Then the frame drops the
//!   futures that are left ([`Children::drop_futures`]), and blocks until the polls of other
//!   threads have returned. No such poll is on its own stack: the frame is older than its children,
//!   so that their polls end before it continues.
//! * A runtime that shuts down drops the children, and so ends the wait. A runtime that refuses a
//!   child drops its future immediately.
//!
//! # Why `scope_with` is sound
//!
//! [`scope_with()`] is a future, which may be dropped anywhere in the middle, or be forgotten. The
//! borrowed values are the scope and the resources, which share one allocation ([`Borrowed`]). It
//! has counted owners: the future, and each child, which gives its count back after its own future
//! has been dropped. So a child borrows from itself, whatever happens to the others: a shutdown in
//! the middle drops the resources with the last child. A forgotten future keeps its count, and with
//! it the memory.
//!
//! The closure takes any `'scope`, so that it cannot use that it is given `'static`: its future
//! borrows from the allocation, and is dropped before its count (the fields of [`ScopeWith`]).
//! `R: 'static` and `'env = 'scope` leave nothing else that a child could borrow; the closure's
//! captures, which need not be `'static`, stay in the part that the caller polls.

use std::fmt;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::mem;
use std::panic::{Location, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use wsrt_sync::oneshot;

use self::children::{CaughtFuture, ChildKind, Children, ErasedFuture, Shared};
use crate::local::beside::SetAside;
use crate::scheduler::Scheduler;
use crate::scheduler::block_on::block_on_unwatched;
use crate::task::large::boxed_if_large;
use crate::task::spawn::with_scheduler;
use crate::util::unwind::{caught, drop_quietly};

mod children;

/// A scope whose children are tasks that borrow. Passed to the closures of [`scope()`] and
/// [`scope_with()`].
///
/// Children may borrow everything that outlives `'scope`, the scope included, and so spawn further
/// children. `'env` is the lifetime of the values around the scope.
pub struct TaskScope<'scope, 'env: 'scope> {
    children: Arc<Children>,
    /// The runtime of the children: the one that is current at the first spawn, or before.
    scheduler: OnceLock<Arc<Scheduler>>,
    /// The allocation that the scope itself is in, if its children share it.
    shared: Option<Weak<dyn Send + Sync>>,
    /// Neither longer nor shorter: a longer one would let children borrow values that are gone, a
    /// shorter one would let them borrow the closure's own.
    scope: PhantomData<fn(&'scope ()) -> &'scope ()>,
    env: PhantomData<fn(&'env ()) -> &'env ()>,
}

/// Calls `f` with a new scope for tasks that borrow from the caller's stack, and returns the result
/// of `f` when it has returned and all tasks of the scope have ended.
///
/// The tasks, which are called the scope's children, are ordinary tasks of the current runtime.
/// They run in parallel with each other and with `f`, may wait for sockets and timers, and may
/// spawn further children. `scope` is a synchronous function: it blocks its thread until the last
/// child has ended, which makes the borrows sound. In a task it hands its processor over to another
/// thread for the time of the wait, as a nested [`Handle::block_on`] does, so it works on one
/// processor and at any depth. It works on other threads too, for example in
/// [`spawn_blocking`](crate::task::spawn_blocking), or with a guard of [`Handle::enter`].
///
/// If a child or `f` panics, or if [`cancel`](TaskScope::cancel) is called, all children are
/// cancelled: each ends the next time it waits. [`cancel_when`](TaskScope::cancel_when) cancels
/// them when a token fires or a time limit elapses.
///
/// A child calls blocking code in [`block_in_place`](crate::task::block_in_place), whose closure
/// borrows as the child does. For computing without waiting, use
/// [`parallel::scope`](crate::parallel::scope()), whose jobs are closures. For tasks that should
/// not block their caller, use [`scope_with()`].
///
/// # Not guaranteed
///
/// Other futures of the calling task wait until `scope` returns: in a `select!` or `join!` they are
/// not polled, and a timeout around the task does not fire. A child that blocks, or never waits,
/// is not interrupted by a cancellation. On a current-thread runtime the children run on the
/// calling thread, one at a time; in a nested scope, the inner scope has to return first.
///
/// # Panics
///
/// Panics if called outside a runtime.
///
/// If `f` or a child panics, `scope` panics with the payload of the first panic, after all children
/// have ended. Panics if the runtime shuts down and cancels a child.
///
/// # Examples
///
/// ```
/// use wsrt::task;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let words = vec!["one".to_string(), "three".to_string()];
/// let mut lengths = vec![0; words.len()];
/// task::scope(|scope| {
///     for (word, length) in words.iter().zip(&mut lengths) {
///         scope.spawn(async move {
///             task::yield_now().await;
///             *length = word.len();
///         });
///     }
/// });
/// assert_eq!(lengths, [3, 5]);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// [`Handle::block_on`]: crate::runtime::Handle::block_on
/// [`Handle::enter`]: crate::runtime::Handle::enter
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope TaskScope<'scope, 'env>) -> T,
{
    let scheduler = with_scheduler("task::scope", Arc::clone);
    let scope = TaskScope::new(OnceLock::from(Arc::clone(&scheduler)), None);
    let left = DropsFutures(&scope.children);
    let output = caught(|| f(&scope)).map_err(|panic| scope.children.end(Some(panic)));
    if !scope.children.are_gone() {
        // The tasks of a local set continue during the wait, as in each `block_on`.
        let (set, ended) = (SetAside::take(), pin!(poll_fn(|cx| scope.children.poll_ended(cx))));
        block_on_unwatched(&scheduler, set.around(ended));
    }
    drop(left);
    finish(output.ok(), &scope.children)
}

/// Drops the futures that are left, when the frame of a scope ends.
struct DropsFutures<'a>(&'a Children);

impl Drop for DropsFutures<'_> {
    fn drop(&mut self) {
        if !self.0.are_gone() {
            self.0.drop_futures();
        }
    }
}

/// Returns the output of a scope whose children have ended, or resumes the first panic.
fn finish<T>(output: Option<T>, children: &Children) -> T {
    if let Some(panic) = children.take_panic() {
        drop_quietly(output);
        resume_unwind(panic);
    }
    output.expect("a scope has one outcome: an output, or a panic")
}

/// Lends `resources` to tasks, and returns the resources and the output of `f` when `f` and all
/// tasks have ended.
///
/// `f` is an async closure. It receives a scope and the resources. Tasks that it spawns in the
/// scope, which are called children, may borrow the resources and the scope, and nothing else that
/// is not `'static`. The closure itself runs as part of the calling task, and may borrow from
/// there.
///
/// The runtime owns the resources in the meantime. **Dropping** the future drops `f` and cancels
/// the children; the resources are dropped with the last child. **Forgetting** the future leaks its
/// memory, and the children continue, with the resources.
///
/// If `f` or a child panics, `f` is dropped where it waits and all children are cancelled: each
/// ends the next time it waits. [`TaskScope::cancel`] and [`cancel_when`](TaskScope::cancel_when)
/// cancel the children, and let `f` continue.
///
/// # Not guaranteed
///
/// When the future is dropped, children may still run for a moment: a child that blocks, or never
/// waits, is not interrupted. If the runtime shuts down, the children are dropped before the
/// resources, in no particular order.
///
/// # Panics
///
/// If `f` or a child panics, the future panics with the payload of the first panic, after all
/// children have ended. Panics if `f` spawns a child outside a runtime, and if the runtime shuts
/// down and cancels a child.
///
/// # Cancel safety
///
/// If the future is dropped before it completes, the resources and the output of `f` are lost.
///
/// # Examples
///
/// ```
/// use std::collections::HashMap;
/// use wsrt::task;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let prices = HashMap::from([("tea", 3), ("cake", 4)]);
/// let (prices, total) = task::scope_with(prices, async |scope, prices| {
///     let tea = scope.spawn(async move { prices["tea"] });
///     let cake = scope.spawn(async { prices["cake"] });
///     tea.await.unwrap() + cake.await.unwrap()
/// })
/// .await;
/// assert_eq!((total, prices.len()), (7, 2));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn scope_with<R, F, T>(resources: R, f: F) -> ScopeWith<R, <F as ScopeBody<'static, R, T>>::Future>
where
    R: Send + Sync + 'static,
    F: for<'scope> AsyncFnOnce(&'scope TaskScope<'scope, 'scope>, &'scope R) -> T,
    F: for<'scope> ScopeBody<'scope, R, T>,
{
    let borrowed = Borrowed::new(resources);
    let cancels = CancelsOnDrop(Arc::clone(&borrowed.scope.children));
    let place = Arc::as_ptr(&borrowed);
    // SAFETY: `f` takes any lifetime, so that only the future that it returns can have the
    // references, and `ScopeWith` drops that future before its count of the allocation.
    let lent: &'static Borrowed<R> = unsafe { &*place };
    let body = CaughtFuture::of(f.call(&lent.scope, &lent.resources));
    ScopeWith { body, output: None, cancels, borrowed: Some(borrowed) }
}

/// An async closure for [`scope_with()`]. Implemented for every closure that fits.
///
/// The trait names the future of the closure, so that the future of `scope_with` is `Send` if the
/// closure's future is.
pub trait ScopeBody<'scope, R: 'scope, T> {
    /// The future of the closure.
    type Future: Future<Output = T>;

    /// Calls the closure.
    fn call(self, scope: &'scope TaskScope<'scope, 'scope>, resources: &'scope R) -> Self::Future;
}

impl<'scope, R, T, F, B> ScopeBody<'scope, R, T> for F
where
    R: 'scope,
    F: FnOnce(&'scope TaskScope<'scope, 'scope>, &'scope R) -> B,
    B: Future<Output = T>,
{
    type Future = B;

    fn call(self, scope: &'scope TaskScope<'scope, 'scope>, resources: &'scope R) -> B {
        self(scope, resources)
    }
}

pin_project! {
    /// The future that lends resources to tasks. Returned by [`scope_with()`].
    ///
    /// # Panics
    ///
    /// Panics in the cases that [`scope_with()`] lists, and if polled again after it has completed.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, the resources and the output of the closure
    /// are lost.
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct ScopeWith<R, B: Future> {
        // The fields are dropped in this order: the body borrows from the last field.
        #[pin]
        body: CaughtFuture<B>,
        output: Option<B::Output>,
        cancels: CancelsOnDrop,
        borrowed: Option<Arc<Borrowed<R>>>,
    }
}

impl<R, B: Future> Future for ScopeWith<R, B> {
    type Output = (R, B::Output);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        assert!(this.borrowed.is_some(), "wsrt: the future of `task::scope_with` was polled after it had completed");
        let (children, mut body) = (&this.cancels.0, this.body);
        if !body.is_done() {
            if children.poll_panic(cx).is_ready() {
                children.end(body.as_mut().drop_future().err());
            } else {
                match ready!(body.poll(cx)) {
                    Ok(output) => *this.output = Some(output),
                    Err(panic) => children.end(Some(panic)),
                }
            }
        }
        ready!(children.poll_ended(cx));
        let output = finish(this.output.take(), children);
        let borrowed = this.borrowed.take().and_then(Arc::into_inner);
        let alone = borrowed.expect("each child that has ended has given its count back");
        Poll::Ready((alone.resources, output))
    }
}

impl<R, B: Future> fmt::Debug for ScopeWith<R, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeWith").field("children", &self.cancels.0.count()).finish_non_exhaustive()
    }
}

/// Cancels the children when the future of a scope is dropped. Owns nothing that they borrow.
struct CancelsOnDrop(Arc<Children>);

impl Drop for CancelsOnDrop {
    fn drop(&mut self) {
        self.0.end(None);
    }
}

/// The values that the children of a [`scope_with()`] borrow.
struct Borrowed<R> {
    scope: TaskScope<'static, 'static>,
    resources: R,
}

impl<R: Send + Sync + 'static> Borrowed<R> {
    fn new(resources: R) -> Arc<Self> {
        Arc::new_cyclic(|own: &Weak<Self>| Self {
            scope: TaskScope::new(OnceLock::new(), Some(own.clone())),
            resources,
        })
    }
}

impl<'scope, 'env> TaskScope<'scope, 'env> {
    fn new(scheduler: OnceLock<Arc<Scheduler>>, shared: Option<Weak<dyn Send + Sync>>) -> Self {
        Self { children: Arc::default(), scheduler, shared, scope: PhantomData, env: PhantomData }
    }

    /// Spawns a future as a child of the scope, and returns a handle to its output.
    ///
    /// The child runs even if the handle is dropped. If the children were cancelled, the future is
    /// dropped without being polled. Can be called on any thread.
    ///
    /// # Panics
    ///
    /// Panics in the closure of a [`scope_with()`] that is polled outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// use wsrt::task::{self, TaskScope};
    ///
    /// fn visit<'scope>(scope: &'scope TaskScope<'scope, '_>, depth: u32, visited: &'scope AtomicU32) {
    ///     visited.fetch_add(1, Relaxed);
    ///     if depth > 0 {
    ///         scope.spawn(async move { visit(scope, depth - 1, visited) });
    ///         scope.spawn(async move { visit(scope, depth - 1, visited) });
    ///     }
    /// }
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let visited = AtomicU32::new(0);
    /// task::scope(|scope| visit(scope, 7, &visited));
    /// assert_eq!(visited.into_inner(), 255);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn spawn<F>(&'scope self, future: F) -> ScopedJoinHandle<'scope, F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        boxed_if_large!(F, future => self.spawn_work(ChildKind::Work, future))
    }

    /// Spawns a child like [`spawn`](Self::spawn), as a background task:
    /// [`spawn_background`](crate::task::spawn_background) describes how such tasks run.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`spawn`](Self::spawn).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut pages = [3, 1, 2];
    /// wsrt::task::scope(|scope| {
    ///     scope.spawn_background(async { pages.sort_unstable() });
    /// });
    /// assert_eq!(pages, [1, 2, 3]);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn spawn_background<F>(&'scope self, future: F) -> ScopedJoinHandle<'scope, F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        boxed_if_large!(F, future => self.spawn_work(ChildKind::Background, future))
    }

    #[track_caller]
    fn spawn_work<F>(&'scope self, kind: ChildKind, future: F) -> ScopedJoinHandle<'scope, F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        let (sender, output) = oneshot::channel();
        let children = Arc::clone(&self.children);
        self.start(kind, async move {
            // The panic is kept before the sender is dropped: a sibling that waits for the output
            // may panic too, and is not the first.
            match CaughtFuture::of(future).await {
                Ok(output) => drop_quietly(sender.send(output)),
                Err(panic) => children.end(Some(panic)),
            }
        });
        ScopedJoinHandle { output, scope: PhantomData }
    }

    /// Cancels all children when `trigger` completes, and accepts no more. The scope does not wait
    /// for `trigger`, and drops it when the children have ended.
    ///
    /// The trigger is a token that is waited for, a time limit, or any other future. It runs as a
    /// task of the scope, so it fires even if the closure of the scope does not wait.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::pending;
    /// use std::time::Duration;
    /// use wsrt::runtime::Handle;
    /// use wsrt::task;
    /// use wsrt::time::sleep;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let token = Handle::current().shutdown_token();
    /// task::scope(|scope| {
    ///     scope.cancel_when(token.cancelled());
    ///     scope.cancel_when(sleep(Duration::from_millis(1)));
    ///     scope.spawn(pending::<()>());
    /// });
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn cancel_when<F>(&'scope self, trigger: F)
    where
        F: Future<Output = ()> + Send + 'scope,
    {
        let children = Arc::clone(&self.children);
        self.start(ChildKind::Watch, async move { children.end(CaughtFuture::of(trigger).await.err()) });
    }

    #[track_caller]
    fn start(&'scope self, kind: ChildKind, future: impl Future<Output = ()> + Send + 'scope) {
        type OfScope<'scope> = Pin<Box<dyn Future<Output = ()> + Send + 'scope>>;
        let future: OfScope<'scope> = Box::pin(future);
        // SAFETY: only the lifetime changes. The future is polled and dropped by `Children` alone,
        // and what it may borrow lives until it is dropped: `'scope` ends after the frame of
        // `scope`, which drops the futures that are left, or it is the borrow of an allocation that
        // the child shares.
        let future = unsafe { mem::transmute::<OfScope<'scope>, ErasedFuture>(future) };
        let shared: Option<Shared> =
            self.shared.as_ref().map(|own| own.upgrade().expect("the borrow of the scope has an owner"));
        let scheduler = self.scheduler.get_or_init(|| with_scheduler("task::scope_with", Arc::clone));
        self.children.spawn(scheduler, kind, future, shared, Location::caller());
    }

    /// Cancels all children, and accepts no more: each child ends the next time it waits.
    ///
    /// A child may cancel its scope, and then ends with the others.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::pending;
    /// use wsrt::task;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let found = task::scope(|scope| {
    ///     scope.spawn(pending::<()>());
    ///     let search = scope.spawn(async {
    ///         scope.cancel();
    ///         7
    ///     });
    ///     search.join()
    /// });
    /// assert_eq!(found, Some(7));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn cancel(&self) {
        self.children.end(None);
    }

    /// Returns `true` if the children were cancelled: by [`cancel`](Self::cancel), by a trigger of
    /// [`cancel_when`](Self::cancel_when), or by a panic.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.children.is_over()
    }
}

impl fmt::Debug for TaskScope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskScope")
            .field("children", &self.children.count())
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

/// A handle to the output of a child of a [`TaskScope`].
///
/// Awaiting the handle returns the child's output, or `None` if the child has none, because it was
/// cancelled or has panicked. The scope itself resumes the panic. Dropping the handle drops the
/// output, and nothing else.
///
/// # Panics
///
/// Panics if polled again after it has returned the child's output.
///
/// # Cancel safety
///
/// Awaiting `&mut handle` is cancel safe: an output that was not returned stays available to a
/// later `await`.
///
/// # Examples
///
/// ```
/// use wsrt::task;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let numbers = vec![1, 2, 3];
/// let sum = task::scope(|scope| {
///     let first = scope.spawn(async { numbers[0] });
///     let both = scope.spawn(async { first.await.unwrap() + numbers[1] });
///     both.join().unwrap()
/// });
/// assert_eq!(sum, 3);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ScopedJoinHandle<'scope, T> {
    output: oneshot::Receiver<T>,
    /// The handle owns an output that may borrow for as long.
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the child's output, blocking the calling thread. Returns `None` if the child has
    /// no output.
    ///
    /// In a task, other threads run the runtime's tasks in the meantime.
    #[track_caller]
    pub fn join(self) -> Option<T> {
        self.output.blocking_recv().ok()
    }
}

impl<T> Future for ScopedJoinHandle<'_, T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.output).poll(cx).map(Result::ok)
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
