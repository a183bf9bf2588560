//! The join handle, which is a future of the task's result, and the variant that aborts the task.
//!
//! The waker of the joining task is in a slot of the cell ([`JoinSlot`]). The slot belongs to the
//! join handle while `JOIN_WAKER` is clear, and to the completing side while it is set. So
//! completion takes the waker out and wakes it by value, which is one step instead of three (wake,
//! clear the flag, drop).

use std::future::Future;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, RawWakerVTable, Waker};
use std::{fmt, ptr};

use wsrt_reactor::budget;

use crate::task::cell::Header;
use crate::task::reference::CountedRef;
use crate::task::state::{Detached, JoinWatch, Joining};
use crate::task::waker::TaskAddress;
use crate::task::{AbortHandle, Id, JoinError, body, identity, lifecycle, waker};
use crate::util::sync::atomic::AtomicPtr;
use crate::util::sync::atomic::Ordering::Relaxed;

/// A handle that waits for a task's result, and that can abort the task.
///
/// Awaiting the handle returns the output of the task's future, or a [`JoinError`] if the task
/// panicked or was cancelled. Dropping the handle *detaches* the task: the task keeps running, and
/// its output or the payload of its panic is dropped. If dropping the output panics, the panic is
/// caught, and only the panic hook reports it.
///
/// The handle completes only after the task's future has been dropped. A thread that sees the task
/// finished also sees the effects of the future's destructors.
///
/// # Panics
///
/// Panics if polled again after it has returned the task's result.
///
/// # Cancel safety
///
/// Awaiting `&mut handle` is cancel safe: a result that was not returned stays available to a later
/// `await`. Dropping the handle itself detaches the task and loses the result.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Runtime::new().unwrap();
/// runtime.block_on(async {
///     let handle = wsrt::spawn(async { 6 * 7 });
///     assert_eq!(handle.await.unwrap(), 42);
/// });
/// ```
pub struct JoinHandle<T> {
    task: NonNull<Header>,
    output: PhantomData<T>,
}

// SAFETY: besides the state word, a handle reaches only the result, which may move to this thread
// if `T` may.
unsafe impl<T: Send> Send for JoinHandle<T> {}
// SAFETY: a `&JoinHandle` reaches only the state word and fields that never change.
unsafe impl<T: Send> Sync for JoinHandle<T> {}

impl<T> Unpin for JoinHandle<T> {}
// A handle gives no access to the future, which a panic may have left in any state.
impl<T> UnwindSafe for JoinHandle<T> {}
impl<T> RefUnwindSafe for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    /// # Safety
    ///
    /// The caller gives up the reference of the task's one join handle, and `T` is the output of
    /// the task's future.
    pub(super) unsafe fn from_raw(task: NonNull<Header>) -> Self {
        Self { task, output: PhantomData }
    }

    /// Aborts the task: its future is dropped where it waits, or after the current poll.
    ///
    /// This method returns immediately. The handle completes once the task's future has been
    /// dropped. If the task is being polled, the poll is not interrupted; if the future completes
    /// in this poll, the task keeps its output. Aborting a finished task has no effect.
    ///
    /// An aborted task may take arbitrarily long to end. A future that never returns from a poll
    /// cannot be cancelled, and neither can work that the future has handed to other threads.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// runtime.block_on(async {
    ///     let handle = wsrt::spawn(std::future::pending::<()>());
    ///     handle.abort();
    ///     assert!(handle.await.unwrap_err().is_cancelled());
    /// });
    /// ```
    pub fn abort(&self) {
        let woken = self.header().state.abort();
        // SAFETY: the state word has just returned `woken`.
        unsafe { waker::settle(self.task, woken) };
    }

    /// Returns `true` if the task has ended: it returned an output, panicked or was cancelled. A
    /// task may still run for a while after it was aborted.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::spawn(async { 42 });
    /// while !task.is_finished() {
    ///     wsrt::task::yield_now().await;
    /// }
    /// assert_eq!(task.await?, 42);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.header().state.is_complete()
    }

    /// Returns an [`AbortHandle`] for the task, which can be cloned.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// runtime.block_on(async {
    ///     let handle = wsrt::spawn(std::future::pending::<()>());
    ///     let abort = handle.abort_handle();
    ///     std::thread::spawn(move || abort.abort());
    ///     assert!(handle.await.unwrap_err().is_cancelled());
    /// });
    /// ```
    #[must_use]
    pub fn abort_handle(&self) -> AbortHandle {
        // SAFETY: the handle's reference keeps the cell alive.
        AbortHandle::new(unsafe { CountedRef::new(self.task) })
    }

    /// Returns the task's id.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::spawn(async { wsrt::task::id() });
    /// let id = task.id();
    /// assert_eq!(task.await?, id);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn id(&self) -> Id {
        self.header().id
    }

    fn header(&self) -> &Header {
        // SAFETY: the handle's reference keeps the cell alive.
        unsafe { self.task.as_ref() }
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        budget::poll_spending(context, |context| self.get_mut().poll_result(context))
    }
}

impl<T> JoinHandle<T> {
    /// Arranges for `waker` to be woken when the task is complete. Returns `true` if it already is;
    /// the result stays where it is.
    #[must_use]
    pub(crate) fn watch(&mut self, waker: &Waker) -> bool {
        // SAFETY: called by the task's join handle.
        self.is_finished() || unsafe { watch_unless_complete(self.task, waker) } == JoinWatch::Complete
    }

    /// Polls for the result, whatever is left of the budget.
    pub(crate) fn poll_result(&mut self, context: &mut Context<'_>) -> Poll<Result<T, JoinError>> {
        if !self.watch(context.waker()) {
            return Poll::Pending;
        }
        let task = self.task;
        // SAFETY: the task is complete, so the body belongs to the join handle. `T` is the type of
        // the output.
        match unsafe { body::take(task) } {
            Some(result) => Poll::Ready(result),
            None => panic!("the `JoinHandle` of task {} was polled after it had returned its result", self.id()),
        }
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        // SAFETY: the handle's reference is given up.
        unsafe { detach(self.task) };
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("id", &self.id()).finish_non_exhaustive()
    }
}

/// Leaves `waker` in the slot, unless the task is complete.
///
/// # Safety
///
/// The caller is the task's join handle.
unsafe fn watch_unless_complete(task: NonNull<Header>, waker: &Waker) -> JoinWatch {
    // SAFETY: the handle's reference keeps the cell alive.
    let header = unsafe { task.as_ref() };
    let is_watched = match header.state.joining() {
        Joining::Complete => return JoinWatch::Complete,
        Joining::Unwatched => false,
        Joining::Watched if header.join_slot.holds(waker) => return JoinWatch::InTime,
        Joining::Watched => true,
    };
    // Cloned before anything has changed, and the old waker is dropped after everything is in
    // order: both may panic.
    let waker = waker.clone();
    let mut _before = None;
    if is_watched {
        if header.state.unwatch() == JoinWatch::Complete {
            return JoinWatch::Complete;
        }
        // SAFETY: the handle has cleared JOIN_WAKER, which was set.
        _before = Some(unsafe { header.join_slot.take() });
    }
    // SAFETY: JOIN_WAKER is clear, and the slot is empty.
    unsafe { header.join_slot.fill(waker) };
    let watched = header.state.watch();
    if watched == JoinWatch::Complete {
        // SAFETY: JOIN_WAKER was clear when the task completed, so the waker still belongs to the
        // handle.
        drop(unsafe { header.join_slot.take() });
    }
    watched
}

/// Drops what the join handle owns of the task.
///
/// # Safety
///
/// The caller is the task's join handle, and gives up its reference.
unsafe fn detach(task: NonNull<Header>) {
    // SAFETY: the handle's reference keeps the cell alive until the word has been changed.
    let header = unsafe { task.as_ref() };
    let mut waker = None;
    match header.state.detach() {
        Detached::Done => return,
        // SAFETY: the handle has cleared JOIN_WAKER, which was set.
        Detached::OwesWaker => waker = Some(unsafe { header.join_slot.take() }),
        // SAFETY: the task is complete, so the body belongs to the join handle.
        Detached::OwesResult if unsafe { body::needs_drop(task) } => {
            let _current = identity::enter_current(header.id);
            // SAFETY: as above.
            unsafe { body::discard(task) };
        }
        Detached::OwesResult => {}
    }
    // SAFETY: the handle's reference is given up.
    unsafe { lifecycle::drop_references(task, 1) };
    // Last, when everything is in order, since the drop may panic.
    drop(waker);
}

/// The slot for the waker of the joining task.
///
/// The slot is filled while `JOIN_WAKER` is set. Then the join handle may compare the waker while
/// the completing side takes it out: both only read, since taking a waker out copies its parts.
/// While `JOIN_WAKER` is clear, the slot belongs to the join handle, and is empty between its
/// calls.
///
/// A dump may read the slot at any time to learn which task waits, so the two parts of the waker
/// are atomic. Relaxed throughout: the state word orders the accesses of the handle and the
/// completing side, and a dump only compares addresses.
pub(super) struct JoinSlot {
    data: AtomicPtr<()>,
    /// Null until the slot is first filled.
    vtable: AtomicPtr<RawWakerVTable>,
}

impl JoinSlot {
    pub(super) fn empty() -> Self {
        Self { data: AtomicPtr::new(ptr::null_mut()), vtable: AtomicPtr::new(ptr::null_mut()) }
    }

    /// # Safety
    ///
    /// The caller is the join handle, `JOIN_WAKER` is clear, and the slot is empty.
    pub(super) unsafe fn fill(&self, waker: Waker) {
        let waker = ManuallyDrop::new(waker);
        self.data.store(waker.data().cast_mut(), Relaxed);
        self.vtable.store(ptr::from_ref(waker.vtable()).cast_mut(), Relaxed);
    }

    /// Takes the waker out.
    ///
    /// # Safety
    ///
    /// The slot was filled, and the waker belongs to the caller: the completing side has found
    /// `JOIN_WAKER` set, or the join handle has cleared it or failed to set it. The waker is taken
    /// out once.
    pub(super) unsafe fn take(&self) -> Waker {
        // SAFETY: the slot was filled, and a waker's table is `'static`.
        let vtable = unsafe { &*self.vtable.load(Relaxed) };
        // SAFETY: the parts belong to one waker, which was not dropped and is taken out once.
        unsafe { Waker::new(self.data.load(Relaxed), vtable) }
    }

    /// Returns whether the slot holds `waker`, like [`Waker::will_wake`]. The join handle calls
    /// this after it has seen `JOIN_WAKER` set on an unfinished task.
    ///
    /// At that moment both wakers were alive, so equal addresses mean the same task. The waker in
    /// the slot may be gone by the time of the comparison, which does not follow the addresses.
    pub(super) fn holds(&self, waker: &Waker) -> bool {
        self.data.load(Relaxed).cast_const() == waker.data() && ptr::eq(self.vtable.load(Relaxed), waker.vtable())
    }

    /// Returns the task whose waker is in the slot, or was a moment ago. While the join handle
    /// changes wakers, this may be a task that never waited.
    pub(super) fn peek(&self) -> Option<TaskAddress> {
        TaskAddress::of_waker(self.data.load(Relaxed), self.vtable.load(Relaxed))
    }

    /// Returns the data address of the waker that is in the slot, or was a moment ago.
    pub(super) fn peek_address(&self) -> usize {
        self.data.load(Relaxed).addr()
    }
}

impl<T> JoinHandle<T> {
    /// Converts this handle into a handle that aborts the task when dropped, instead of detaching
    /// it.
    ///
    /// The task then ends together with its owner, even if the owner is cancelled, returns early or
    /// panics. Dropping the handle does not wait for the task: the task is cancelled the next time
    /// it waits. [`cancel`](Self::cancel) also waits until the task has ended, and a
    /// [`TaskGroup`](crate::task::TaskGroup) owns several tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let (sender, receiver) = wsrt::sync::oneshot::channel::<()>();
    /// let task = wsrt::spawn(async move {
    ///     std::future::pending::<()>().await;
    ///     drop(sender);
    /// })
    /// .abort_on_drop();
    /// drop(task);
    /// assert!(receiver.await.is_err(), "the task is gone, and the sender with it");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn abort_on_drop(self) -> AbortOnDropHandle<T> {
        AbortOnDropHandle { handle: Some(self) }
    }

    /// Aborts the task, and waits until it has ended. Returns the task's output if the task
    /// completed, or `None` if it was cancelled.
    ///
    /// The call itself aborts the task, even if the returned future is never awaited. The task has
    /// ended when its future has been dropped. A running poll, or a blocking job that has begun, is
    /// not interrupted, so the task may still complete.
    ///
    /// # Errors
    ///
    /// Returns a [`JoinError`] if the task panicked, in a poll or while its future was dropped.
    ///
    /// # Cancel safety
    ///
    /// If the returned future is dropped, the task still ends, but its output is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let waits = wsrt::spawn(std::future::pending::<()>());
    /// assert_eq!(waits.cancel().await?, None);
    ///
    /// let done = wsrt::spawn(async { 7 });
    /// while !done.is_finished() {
    ///     wsrt::task::yield_now().await;
    /// }
    /// assert_eq!(done.cancel().await?, Some(7));
    /// # Ok::<(), wsrt::task::JoinError>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel(self) -> impl Future<Output = Result<Option<T>, JoinError>> {
        self.abort();
        async move {
            match self.await {
                Ok(output) => Ok(Some(output)),
                Err(error) if error.is_cancelled() => Ok(None),
                Err(error) => Err(error),
            }
        }
    }
}

/// A [`JoinHandle`] that aborts the task when dropped. Returned by [`JoinHandle::abort_on_drop`].
///
/// Dropping the handle after the task has ended only drops the task's output.
///
/// # Panics
///
/// Panics if polled again after it has returned the task's result.
///
/// # Cancel safety
///
/// Awaiting `&mut handle` is cancel safe: a result that was not returned stays available to a later
/// `await`. Dropping the handle itself aborts the task.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let task = wsrt::spawn(async { 6 * 7 }).abort_on_drop();
/// assert_eq!(task.await?, 42);
/// # Ok::<(), wsrt::task::JoinError>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "the task is aborted as soon as the handle is dropped"]
pub struct AbortOnDropHandle<T> {
    /// `None` once it is detached.
    handle: Option<JoinHandle<T>>,
}

impl<T> AbortOnDropHandle<T> {
    fn handle(&self) -> &JoinHandle<T> {
        self.handle.as_ref().expect("only `detach` takes it, and consumes this")
    }

    /// Converts this handle back into a [`JoinHandle`], which detaches the task when dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let (sender, receiver) = wsrt::sync::oneshot::channel();
    /// let task = wsrt::spawn(async move { sender.send(7) }).abort_on_drop();
    /// drop(task.detach());
    /// assert_eq!(receiver.await, Ok(7));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn detach(mut self) -> JoinHandle<T> {
        self.handle.take().expect("it is taken here alone")
    }

    /// Returns an [`AbortHandle`] for the task, which can be cloned.
    #[must_use]
    pub fn abort_handle(&self) -> AbortHandle {
        self.handle().abort_handle()
    }

    /// Returns `true` if the task has ended: it returned an output, panicked or was cancelled.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.handle().is_finished()
    }

    /// Returns the task's id.
    #[must_use]
    pub fn id(&self) -> Id {
        self.handle().id()
    }
}

impl<T> Future for AbortOnDropHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let handle = self.handle.as_mut().expect("only `detach` takes it, and consumes this");
        Pin::new(handle).poll(context)
    }
}

impl<T> Drop for AbortOnDropHandle<T> {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            handle.abort();
        }
    }
}

impl<T> fmt::Debug for AbortOnDropHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortOnDropHandle").field("id", &self.id()).finish_non_exhaustive()
    }
}
