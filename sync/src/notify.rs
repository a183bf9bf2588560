//! A notification that is kept until a task receives it.
//!
//! # The word
//!
//! | bit | meaning | set by | cleared by |
//! |---|---|---|---|
//! | 0 `PERMIT` | a wake-up is kept for the next task that asks | `notify_one`, `notify_last` while `WAITING` is not set | the task that takes it |
//! | 1 `WAITING` | the list is not empty | a waiter that enters, under the lock | the one that unlinks the last waiter, under the lock |
//! | the rest | calls of `notify_waiters` so far, wrapping | `notify_waiters`, under the lock | |
//!
//! `PERMIT` and `WAITING` are never set together: a waiter enters the list only if no permit is
//! stored, and a permit is stored only if no task waits. Setting `PERMIT` is Release and taking it
//! is Acquire, so whatever the notifier did before happened before whatever the notified task does.
//! A notification that is handed to a waiter goes through the list's lock instead.

use crate::budget::with_state;
use crate::console::{AsyncOp, Resource, state};
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::{WaitGuard, WaitLock, const_fn};
use crate::wait::{self, Place, TaskWait, WaitKind};
use crate::wait_list::{WaitList, wait_on};
use crate::wakers::wake_in_batches;
use std::future::Future;
use std::marker::PhantomPinned;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

const PERMIT: usize = 0b01;
const WAITING: usize = 0b10;
/// One call of `notify_waiters`, in the word's encoding.
const CALL: usize = 0b100;

/// Notifies one waiting task, or all of them, without carrying data.
///
/// A `Notify` can store one permit. If [`notify_one`](Notify::notify_one) is called while no task
/// waits, the permit makes the next [`notified`](Notify::notified) complete at once, so a task that
/// is just about to wait does not miss the notification. Several such calls still store a single
/// permit. [`notify_waiters`](Notify::notify_waiters) stores none.
///
/// # Not guaranteed
///
/// Notified tasks may run in a different order than the one in which they were notified.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::Notify;
///
/// let changed = Notify::new();
/// changed.notify_one();
/// // The permit was kept.
/// changed.notified().await;
/// # });
/// ```
#[derive(Debug)]
pub struct Notify {
    word: AtomicUsize,
    waiters: WaitLock<WaitList<Notification>>,
    place: Place,
    pub(crate) shown: Resource,
}

/// The notification that a waiter has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notification {
    /// No notification yet, or a notification of all waiters, which unlinks the waiter.
    Nothing,
    /// The single notification of a call. If the waiter is dropped, the notification passes to the
    /// next.
    One(QueueEnd),
}

/// The end of the line from which a call takes its waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueueEnd {
    First,
    Last,
}

impl Notify {
    const_fn! {
        /// Creates a `Notify` without a permit.
        #[must_use]
        #[track_caller]
        pub fn new() -> Self {
            Self::made_at(Location::caller())
        }
    }

    const_fn! {
        /// Creates a `Notify` without a permit in a constant or static. [`new`](Notify::new) is
        /// `const` as well.
        #[must_use]
        #[track_caller]
        pub fn const_new() -> Self {
            Self::new()
        }
    }

    const_fn! {
        /// Creates a `Notify` that is part of a channel created at `place`.
        pub(crate) fn made_at(place: Place) -> Self {
            let word = AtomicUsize::new(0);
            Self { word, waiters: WaitLock::new(WaitList::new()), place, shown: Resource::new() }
        }
    }

    /// Returns a future that completes when it is notified.
    ///
    /// The future joins the queue of waiters when it is first polled. Calls of
    /// [`notify_waiters`](Notify::notify_waiters), however, reach the future from the moment it is
    /// created.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, a notification that it has already been given
    /// passes to the next waiter. The caller loses its place in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let changed = wsrt::sync::Notify::new();
    /// changed.notify_one();
    /// changed.notified().await;
    /// # });
    /// ```
    pub fn notified(&self) -> Notified<'_> {
        self.notified_as(WaitKind::Notify)
    }

    /// Returns the future of [`notified`](Notify::notified). Dumps show a task that waits for it as
    /// `kind`.
    pub(crate) fn notified_as(&self, kind: WaitKind) -> Notified<'_> {
        let waiter = NotifiedState::new(self);
        Notified { notify: self, waiter, kind, shown: AsyncOp::none(), _pinned: PhantomPinned }
    }

    /// Returns the place where this `Notify`, or the channel that it is part of, was created.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Returns a future that completes when it is notified, and that keeps the `Notify` alive.
    ///
    /// The future borrows nothing, so it can be moved to another task.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, a notification that it has already been given
    /// passes to the next waiter. The caller loses its place in the queue.
    pub fn notified_owned(self: Arc<Self>) -> OwnedNotified {
        let waiter = NotifiedState::new(&self);
        OwnedNotified { notify: self, waiter, shown: AsyncOp::none(), _pinned: PhantomPinned }
    }

    /// Notifies the task that has waited longest. If no task waits, stores a permit for the next
    /// one.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::Notify;
    ///
    /// let ready = Notify::new();
    /// ready.notify_one();
    /// ready.notify_one();
    /// // Both calls have left one permit.
    /// ready.notified().await;
    /// # });
    /// ```
    pub fn notify_one(&self) {
        self.notify(QueueEnd::First);
    }

    /// Notifies the task that started to wait last. If no task waits, stores a permit for the next
    /// one.
    pub fn notify_last(&self) {
        self.notify(QueueEnd::Last);
    }

    fn notify(&self, end: QueueEnd) {
        if self.try_keep_permit() {
            return self.show_permit();
        }
        let mut waiters = self.waiters.lock();
        let unlinked = match end {
            QueueEnd::First => waiters.unlink_first(),
            QueueEnd::Last => waiters.unlink_last(),
        };
        let Some((given, waker)) = unlinked else {
            // The last waiter left in between, and with the lock held none enters.
            let kept = self.try_keep_permit();
            debug_assert!(kept, "the list is empty, and so says the word");
            drop(waiters);
            return self.show_permit();
        };
        *given = Notification::One(end);
        self.note_if_empty(&waiters);
        drop(waiters);
        waker.wake();
    }

    /// Stores a permit, if no task waits.
    fn try_keep_permit(&self) -> bool {
        let mut word = self.word.load(Relaxed);
        while word & WAITING == 0 {
            match self.word.compare_exchange_weak(word, word | PERMIT, AcqRel, Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Shows in the console whether a permit is stored. Called without the lock.
    #[inline]
    fn show_permit(&self) {
        state!(self.shown, permit = self.word.load(Relaxed) & PERMIT != 0);
    }

    /// Takes the stored permit, if there is one.
    fn try_take_permit(&self) -> bool {
        let word = self.word.load(Relaxed);
        // Acquire pairs with the Release of `try_keep_permit`.
        word & PERMIT != 0 && self.word.fetch_and(!PERMIT, AcqRel) & PERMIT != 0
    }

    /// Notifies all waiting tasks, and every future that [`notified`](Notify::notified) has
    /// returned so far, whether polled or not. Stores no permit for later waiters.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::Notify;
    ///
    /// let ready = Notify::new();
    /// let (first, second) = (ready.notified(), ready.notified());
    /// ready.notify_waiters();
    /// first.await;
    /// second.await;
    /// # });
    /// ```
    pub fn notify_waiters(&self) {
        let mut waiters = self.waiters.lock();
        self.word.fetch_add(CALL, AcqRel);
        // At once: a task that enters between two batches is none of those that wait.
        if waiters.release_all() {
            self.note_if_empty(&waiters);
            wake_in_batches(waiters, || self.waiters.lock(), |mut waiters, wakers| waiters.take_released(wakers));
        }
    }

    /// Clears `WAITING` if the list is empty. Called with the lock held and `WAITING` set, after
    /// the caller has unlinked one node or all of them.
    fn note_if_empty(&self, waiters: &WaitList<Notification>) {
        if waiters.is_empty() {
            // A load and a store: while `WAITING` is set, only threads with the lock change the
            // word. Release as for the permit, and for the calls so far.
            self.word.store(self.word.load(Relaxed) & !WAITING, Release);
        }
    }

    /// Returns the number of calls of `notify_waiters` so far.
    fn calls(&self) -> usize {
        // Acquire pairs with the AcqRel of `notify_waiters`.
        self.word.load(Acquire) / CALL
    }

    /// Enters the list, unless a permit is stored or `notify_waiters` has been called more than
    /// `calls` times.
    fn enter(&self, calls: usize, waker: Waker) -> Result<usize, Waker> {
        let mut waiters = self.waiters.lock();
        let mut word = self.word.load(Acquire);
        loop {
            if word / CALL != calls {
                return Err(waker);
            }
            let takes = word & PERMIT != 0;
            let next = if takes { word & !PERMIT } else { word | WAITING };
            match self.word.compare_exchange_weak(word, next, AcqRel, Acquire) {
                Ok(_) if takes => return Err(waker),
                Ok(_) => return Ok(waiters.push(Notification::Nothing, waker)),
                Err(now) => word = now,
            }
        }
    }

    /// Takes the waiter out of the list, and returns the notification that it has received.
    fn leave(&self, mut waiters: WaitGuard<'_, WaitList<Notification>>, key: usize) -> Notification {
        let (given, was_linked, waker) = waiters.remove(key);
        if was_linked {
            self.note_if_empty(&waiters);
        }
        drop(waiters);
        drop(waker);
        given
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl UnwindSafe for Notify {}
impl RefUnwindSafe for Notify {}

/// The state of one future's wait, no matter how the future holds its [`Notify`].
#[derive(Debug)]
pub(crate) enum NotifiedState {
    /// The future was created after `calls` calls of `notify_waiters`.
    Fresh {
        calls: usize,
    },
    /// The future waits in the list, under this key.
    InLine(usize),
    Done,
}

impl NotifiedState {
    pub(crate) fn new(notify: &Notify) -> Self {
        Self::Fresh { calls: notify.calls() }
    }

    fn enable(&mut self, notify: &Notify) -> bool {
        self.poll(notify, Waker::noop()).is_ready()
    }

    fn poll(&mut self, notify: &Notify, waker: &Waker) -> Poll<()> {
        match *self {
            Self::Fresh { calls } => {
                if notify.calls() != calls || notify.try_take_permit() {
                    *self = Self::Done;
                } else {
                    match notify.enter(calls, waker.clone()) {
                        Ok(key) => *self = Self::InLine(key),
                        Err(_unneeded) => *self = Self::Done,
                    }
                }
                notify.show_permit();
            }
            Self::InLine(key) => {
                if let Some(waiters) = wait_on(&notify.waiters, key, waker) {
                    notify.leave(waiters, key);
                    *self = Self::Done;
                }
            }
            Self::Done => {}
        }
        if matches!(self, Self::Done) { Poll::Ready(()) } else { Poll::Pending }
    }

    pub(crate) fn poll_cooperatively(
        &mut self,
        notify: &Notify,
        kind: WaitKind,
        shown: &mut AsyncOp,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        with_state(|state| {
            ready!(state.poll_proceed(cx));
            if self.poll(notify, cx.waker()).is_pending() {
                shown.pending(&notify.shown, kind, notify.place);
                state.wait.set(TaskWait { kind, place: notify.place }.pack());
                return Poll::Pending;
            }
            shown.ready();
            state.spend();
            Poll::Ready(())
        })
    }

    /// Passes on a notification that came too late for this future.
    pub(crate) fn cancel(&mut self, notify: &Notify, kind: WaitKind) {
        if let Self::InLine(key) = *self {
            wait::take_back(kind, notify.place);
            *self = Self::Done;
            if let Notification::One(end) = notify.leave(notify.waiters.lock(), key) {
                notify.notify(end);
            }
        }
    }
}

/// The future returned by [`Notify::notified`].
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct Notified<'a> {
    notify: &'a Notify,
    waiter: NotifiedState,
    kind: WaitKind,
    shown: AsyncOp,
    /// The future is not `Unpin`, as in tokio.
    _pinned: PhantomPinned,
}

/// The future returned by [`Notify::notified_owned`].
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct OwnedNotified {
    notify: Arc<Notify>,
    waiter: NotifiedState,
    shown: AsyncOp,
    /// The future is not `Unpin`, as in tokio.
    _pinned: PhantomPinned,
}

impl Notified<'_> {
    /// Adds the future to the queue of waiters without polling it. Returns `true` if the future has
    /// already been notified.
    ///
    /// Once enabled, the future can receive a notification from [`notify_one`](Notify::notify_one).
    pub fn enable(self: Pin<&mut Self>) -> bool {
        // SAFETY: no field is pinned: the waiter is a key, and none is moved out.
        let this = unsafe { self.get_unchecked_mut() };
        this.waiter.enable(this.notify)
    }
}

impl OwnedNotified {
    /// Adds the future to the queue of waiters without polling it. Returns `true` if the future has
    /// already been notified.
    ///
    /// Once enabled, the future can receive a notification from [`notify_one`](Notify::notify_one).
    pub fn enable(self: Pin<&mut Self>) -> bool {
        // SAFETY: no field is pinned: the waiter is a key, and none is moved out.
        let this = unsafe { self.get_unchecked_mut() };
        this.waiter.enable(&this.notify)
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: no field is pinned: the waiter is a key, and none is moved out.
        let this = unsafe { self.get_unchecked_mut() };
        this.waiter.poll_cooperatively(this.notify, this.kind, &mut this.shown, cx)
    }
}

impl Future for OwnedNotified {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: no field is pinned: the waiter is a key, and none is moved out.
        let this = unsafe { self.get_unchecked_mut() };
        this.waiter.poll_cooperatively(&this.notify, WaitKind::Notify, &mut this.shown, cx)
    }
}

impl Drop for Notified<'_> {
    fn drop(&mut self) {
        self.waiter.cancel(self.notify, self.kind);
    }
}

impl Drop for OwnedNotified {
    fn drop(&mut self) {
        self.waiter.cancel(&self.notify, WaitKind::Notify);
    }
}
