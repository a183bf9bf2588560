//! A channel that carries a single value from one task or thread to another.
//!
//! # The word
//!
//! | bit | meaning | set by | cleared by |
//! |---|---|---|---|
//! | 0 `SENT` | the sender is done: it has put a value into the cell, or was dropped | the sender, unless `CLOSED` is set | never |
//! | 1 `CLOSED` | the receiver takes no value any more | the receiver, once | never |
//! | 2 `RECEIVER_WAITS` | the receiver's waker is in its cell | the receiver | the receiver |
//! | 3 `SENDER_WAITS` | the sender's waker, of `closed`, is in its cell | the sender | the sender |
//!
//! Each cell has one owner at a time. The sender owns the value's cell until it sets `SENT`
//! (Release), and the receiver owns the cell once it has seen `SENT` (Acquire). If `CLOSED` is set
//! first, `SENT` is never set, and the sender keeps the cell. Each side owns the cell of its own
//! waker until it sets the cell's bit (Release). From then on the other side may read the waker
//! once, if it finds the bit set when it sets its own `SENT` or `CLOSED` (Acquire). To write a new
//! waker, the owner first clears the bit, and leaves the cell alone if the other side was faster.

use crate::blocking::block_on;
use crate::budget::{self, with_state};
use crate::console::{AsyncOp, Resource, state};
use crate::sync::Arc;
use crate::sync::UnsafeCell;
use crate::sync::atomic::AtomicU8;
use crate::sync::atomic::Ordering::{AcqRel, Acquire};
use crate::wait::{self, Place, WaitKind};
use std::error::Error;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

const SENT: u8 = 0b0001;
const CLOSED: u8 = 0b0010;
const RECEIVER_WAITS: u8 = 0b0100;
const SENDER_WAITS: u8 = 0b1000;

const NOT_SENT: &str = "it is there until the value is sent";

/// Creates a channel for a single value, and returns its sender and its receiver.
///
/// The sender can be used from any thread, inside or outside a runtime. The receiver is a future.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::oneshot;
///
/// let (reply, answer) = oneshot::channel();
/// std::thread::spawn(move || reply.send(42));
/// assert_eq!(answer.await, Ok(42));
/// # });
/// ```
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(OneshotChannel {
        word: AtomicU8::new(0),
        value: UnsafeCell::new(None),
        receiver: UnsafeCell::new(None),
        sender: UnsafeCell::new(None),
        place: Location::caller(),
        shown: Resource::new(),
    });
    let sender = Sender { channel: Some(Arc::clone(&channel)), shown: AsyncOp::none() };
    (sender, Receiver { channel: Some(channel), shown: AsyncOp::none() })
}

/// The sending half of a oneshot channel, which sends a single value to the [`Receiver`].
///
/// Dropping the sender without sending makes the receiver fail with a
/// [`RecvError`].
#[derive(Debug)]
pub struct Sender<T> {
    /// `None` once the value has been sent.
    channel: Option<Arc<OneshotChannel<T>>>,
    shown: AsyncOp,
}

/// The receiving half of a oneshot channel: a future that completes with the value.
///
/// The output is an error if the sender is dropped without sending a value.
///
/// # Panics
///
/// Panics if it is polled again after it has completed.
///
/// # Cancel safety
///
/// Polling the receiver by reference, as in `&mut receiver` inside `select!`, is cancel safe: no
/// value is lost when another branch completes first.
#[derive(Debug)]
pub struct Receiver<T> {
    /// `None` once the outcome has been returned.
    channel: Option<Arc<OneshotChannel<T>>>,
    shown: AsyncOp,
}

/// The errors of oneshot channels.
pub mod error {
    /// The error that a receiver returns if the sender was dropped without sending a value.
    #[derive(Debug, Eq, PartialEq, Clone)]
    pub struct RecvError(pub(super) ());

    /// The error returned by [`Receiver::try_recv`](super::Receiver::try_recv).
    #[derive(Debug, Eq, PartialEq, Clone)]
    pub enum TryRecvError {
        /// No value has been sent so far, but the sender still exists.
        Empty,
        /// The sender was dropped without sending a value, or the value has already been received.
        Closed,
    }
}

use self::error::{RecvError, TryRecvError};

#[derive(Debug)]
struct OneshotChannel<T> {
    word: AtomicU8,
    value: UnsafeCell<Option<T>>,
    receiver: UnsafeCell<Option<Waker>>,
    sender: UnsafeCell<Option<Waker>>,
    place: Place,
    shown: Resource,
}

// SAFETY: the value goes from thread to thread, and each cell has one owner at a time by the word.
unsafe impl<T: Send> Send for OneshotChannel<T> {}
// SAFETY: as for `Send`; a shared channel gives no `&T` out.
unsafe impl<T: Send> Sync for OneshotChannel<T> {}

impl<T> OneshotChannel<T> {
    fn has(&self, bits: u8) -> bool {
        // Acquire pairs with the Release of the side that sets the bit.
        self.word.load(Acquire) & bits != 0
    }

    /// Sets `SENT` and wakes the receiver, unless the channel is closed. Returns `false` if it is.
    #[must_use = "the value stays the sender's where the channel is closed"]
    fn complete(&self) -> bool {
        let mut word = self.word.load(Acquire);
        loop {
            if word & CLOSED != 0 {
                return false;
            }
            // Release gives the value over; Acquire pairs with the Release of `RECEIVER_WAITS`.
            match self.word.compare_exchange_weak(word, word | SENT, AcqRel, Acquire) {
                Ok(_) => break,
                Err(now) => word = now,
            }
        }
        if word & RECEIVER_WAITS != 0 {
            // SAFETY: the receiver has set its bit, and leaves the cell alone once it sees `SENT`.
            unsafe { wake_from(&self.receiver) };
        }
        true
    }

    /// Sets `CLOSED`, and wakes the sender if it waits for the channel to be closed.
    fn close(&self) {
        let before = self.word.fetch_or(CLOSED, AcqRel);
        if before & SENDER_WAITS != 0 && before & (SENT | CLOSED) == 0 {
            // SAFETY: the sender has set its bit, and leaves the cell alone once it sees `CLOSED`,
            // which was set for the first time: this is the one reader.
            unsafe { wake_from(&self.sender) };
        }
        state!(self.shown, rx_dropped = true);
    }

    /// Stores a waker in its owner's cell. Returns ready if the other side has set `done`.
    fn poll_done(&self, cx: &mut Context<'_>, done: u8, waits: u8, cell: &UnsafeCell<Option<Waker>>) -> Poll<()> {
        let word = self.word.load(Acquire);
        if word & done != 0 {
            return Poll::Ready(());
        }
        if word & waits != 0 {
            // SAFETY: the other side reads it at most, so both may.
            let is_same = cell.with(|waker| unsafe { (*waker).as_ref() }.is_some_and(|w| w.will_wake(cx.waker())));
            if is_same {
                return Poll::Pending;
            }
            if self.word.fetch_and(!waits, AcqRel) & done != 0 {
                // The other side may be reading the cell.
                return Poll::Ready(());
            }
        }
        let waker = cx.waker().clone();
        // SAFETY: its bit is not set, so the cell is the caller's.
        let displaced = cell.with_mut(|cell| unsafe { (*cell).replace(waker) });
        let before = self.word.fetch_or(waits, AcqRel);
        drop(displaced);
        if before & done != 0 { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Takes the value out of the channel. Only the value's current owner may call this.
    ///
    /// # Safety
    ///
    /// The caller must be the sender before it sets `SENT`, or the receiver after it has seen
    /// `SENT`.
    unsafe fn take(&self) -> Option<T> {
        // SAFETY: the caller is the cell's one owner.
        self.value.with_mut(|value| unsafe { (*value).take() })
    }
}

/// Wakes the task whose waker is in the cell, if any.
///
/// # Safety
///
/// No one may write into the cell any more, and the caller must keep the channel alive.
unsafe fn wake_from(cell: &UnsafeCell<Option<Waker>>) {
    // SAFETY: as the caller promises. The waker's own code reaches the cell to read it at most.
    cell.with(|waker| unsafe { (*waker).as_ref() }.map(Waker::wake_by_ref));
}

impl<T> Sender<T> {
    /// Sends `value` to the receiver. The method never waits, so it can be called anywhere.
    ///
    /// # Errors
    ///
    /// Returns `value` if the receiver has been dropped or has closed the channel.
    ///
    /// `Ok` does not mean that the value was received: the receiver may be dropped before it takes
    /// the value out.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::oneshot;
    ///
    /// let (sender, receiver) = oneshot::channel();
    /// assert_eq!(sender.send(1), Ok(()));
    /// assert_eq!(receiver.await, Ok(1));
    /// let (sender, receiver) = oneshot::channel();
    /// drop(receiver);
    /// assert_eq!(sender.send(2), Err(2));
    /// # });
    /// ```
    pub fn send(mut self, value: T) -> Result<(), T> {
        let channel = self.channel.take().expect("it is sent once");
        // SAFETY: the value is the sender's until it sets `SENT`.
        channel.value.with_mut(|slot| unsafe { *slot = Some(value) });
        if channel.complete() {
            state!(channel.shown, value_sent = true);
            return Ok(());
        }
        // SAFETY: `SENT` was not set.
        Err(unsafe { channel.take() }.expect("it was put there"))
    }

    /// Waits until the receiver has been dropped or has closed the channel.
    ///
    /// A task that computes the value can use this method to stop early when the value is no longer
    /// needed.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: dropping the future before it completes has no effect on the
    /// channel.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::oneshot;
    ///
    /// let (mut sender, receiver) = oneshot::channel::<u8>();
    /// drop(receiver);
    /// // No need to compute the value any more.
    /// sender.closed().await;
    /// assert!(sender.is_closed());
    /// # });
    /// ```
    pub async fn closed(&mut self) {
        poll_fn(|cx| self.poll_closed(cx)).await;
    }

    /// Returns `true` if the receiver has been dropped or has closed the channel.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel().has(CLOSED)
    }

    /// Polls whether the receiver has been dropped or has closed the channel, as
    /// [`closed`](Sender::closed) does.
    ///
    /// If the result is [`Poll::Pending`], the task that polled last is woken when polling again is
    /// worthwhile. Tasks of earlier polls are not woken.
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        ready!(budget::poll_proceed(cx));
        let channel = self.channel.as_ref().expect(NOT_SENT);
        if channel.poll_done(cx, CLOSED, SENDER_WAITS, &channel.sender).is_pending() {
            self.shown.pending(&channel.shown, WaitKind::OneshotClosed, channel.place);
            wait::note(WaitKind::OneshotClosed, channel.place);
            return Poll::Pending;
        }
        self.shown.ready();
        budget::spend();
        Poll::Ready(())
    }

    fn channel(&self) -> &OneshotChannel<T> {
        self.channel.as_ref().expect(NOT_SENT)
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(channel) = &self.channel {
            let _ = channel.complete();
            state!(channel.shown, tx_dropped = true);
        }
    }
}

impl<T> Receiver<T> {
    /// Closes the channel, so that [`Sender::send`] fails from now on.
    ///
    /// A value that was sent before the call can still be received.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::oneshot;
    ///
    /// let (sender, mut receiver) = oneshot::channel();
    /// receiver.close();
    /// assert_eq!(sender.send(1), Err(1));
    /// assert!(receiver.await.is_err());
    /// # });
    /// ```
    pub fn close(&mut self) {
        if let Some(channel) = &self.channel {
            channel.close();
        }
    }

    /// Returns `true` if the receiver has already returned its output. Polling it again would
    /// panic.
    #[must_use]
    pub fn is_terminated(&self) -> bool {
        self.channel.is_none()
    }

    /// Returns `true` if no value is waiting in the channel to be received.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Some(channel) = &self.channel else { return true };
        // SAFETY: `SENT` was seen, so the value is the receiver's.
        !channel.has(SENT) || channel.value.with(|value| unsafe { (*value).is_none() })
    }

    /// Receives the value if it has been sent, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryRecvError::Empty`] if the sender has not sent a value yet, and
    /// [`TryRecvError::Closed`] if it never will.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::oneshot;
    /// use wsrt::sync::oneshot::error::TryRecvError;
    ///
    /// let (sender, mut receiver) = oneshot::channel();
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// sender.send(1).expect("the receiver is there");
    /// assert_eq!(receiver.try_recv(), Ok(1));
    /// ```
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let Some(channel) = &self.channel else { return Err(TryRecvError::Closed) };
        if !channel.has(SENT | CLOSED) {
            return Err(TryRecvError::Empty);
        }
        self.outcome().map_err(|RecvError(())| TryRecvError::Closed)
    }

    /// Returns the outcome. Called once the sender is done or the channel is closed.
    fn outcome(&mut self) -> Result<T, RecvError> {
        let channel = self.channel.take().ok_or(RecvError(()))?;
        if !channel.has(SENT) {
            return Err(RecvError(()));
        }
        // SAFETY: `SENT` was seen.
        unsafe { channel.take() }.ok_or(RecvError(()))
    }

    /// Receives the value, blocking the calling thread until it has been sent.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
    ///
    /// # Errors
    ///
    /// Returns an error if the sender is dropped without sending a value.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::oneshot;
    ///
    /// let (sender, receiver) = oneshot::channel();
    /// std::thread::spawn(move || sender.send(1));
    /// assert_eq!(receiver.blocking_recv(), Ok(1));
    /// ```
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, RecvError> {
        block_on(self)
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        with_state(|state| {
            ready!(state.poll_proceed(cx));
            let this = &mut *self;
            let channel = this.channel.as_ref().expect("polled after its outcome was returned");
            if !channel.has(CLOSED) && channel.poll_done(cx, SENT, RECEIVER_WAITS, &channel.receiver).is_pending() {
                this.shown.pending(&channel.shown, WaitKind::OneshotReceive, channel.place);
                wait::note(WaitKind::OneshotReceive, channel.place);
                return Poll::Pending;
            }
            this.shown.ready();
            state.spend();
            Poll::Ready(this.outcome())
        })
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let Some(channel) = &self.channel {
            wait::take_back(WaitKind::OneshotReceive, channel.place);
            channel.close();
            if channel.has(SENT) {
                // SAFETY: `SENT` was seen. The value goes now, though the sender may keep the
                // channel.
                drop(unsafe { channel.take() });
            }
        }
    }
}

impl fmt::Display for error::RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("channel closed")
    }
}

impl Error for error::RecvError {}

impl fmt::Display for error::TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "channel empty",
            Self::Closed => "channel closed",
        })
    }
}

impl Error for error::TryRecvError {}
