//! A channel in which each receiver gets each value, while it keeps up.
//!
//! The channel keeps a fixed number of values. A receiver that falls further behind than that has
//! lost the oldest ones: its next call says how many it missed, and the one after that goes on with
//! the oldest that is left. Senders never wait.
//!
//! # Examples
//!
//! ```
//! # mod wsrt { pub use wsrt_sync as sync; }
//! # wsrt_sync::blocking::block_on(async {
//! use wsrt::sync::broadcast;
//!
//! let (news, mut reader) = broadcast::channel(16);
//! let mut another = news.subscribe();
//! news.send("rain")?;
//! assert_eq!(reader.recv().await, Ok("rain"));
//! assert_eq!(another.recv().await, Ok("rain"));
//! # Ok::<(), broadcast::error::SendError<&str>>(())
//! # }).unwrap();
//! ```

use self::error::{RecvError, SendError, TryRecvError};
use crate::blocking::block_on;
use crate::budget;
use crate::notify::Notify;
use crate::sync::Arc;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::{Mutex, MutexGuard};
use crate::wait_list::WaitList;
use crate::wakers::Wakers;
use std::fmt;
use std::future::Future;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

/// The errors of this module.
pub mod error {
    use std::error::Error;
    use std::fmt;

    /// There is no receiver. The value comes back.
    #[derive(Debug)]
    pub struct SendError<T>(pub T);

    /// The reasons for which [`Receiver::recv`](super::Receiver::recv) fails.
    #[derive(Debug, PartialEq, Eq, Clone)]
    pub enum RecvError {
        /// All senders are gone, and everything that was sent was received.
        Closed,
        /// So many values were lost, since the receiver was slow.
        Lagged(u64),
    }

    /// The reasons for which [`Receiver::try_recv`](super::Receiver::try_recv) fails.
    #[derive(Debug, PartialEq, Eq, Clone)]
    pub enum TryRecvError {
        /// Nothing new was sent.
        Empty,
        /// All senders are gone, and everything that was sent was received.
        Closed,
        /// So many values were lost, since the receiver was slow.
        Lagged(u64),
    }

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl<T: fmt::Debug> Error for SendError<T> {}

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Closed => f.write_str("channel closed"),
                Self::Lagged(count) => write!(f, "channel lagged by {count}"),
            }
        }
    }

    impl Error for RecvError {}

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Empty => f.write_str("channel empty"),
                Self::Closed => f.write_str("channel closed"),
                Self::Lagged(count) => write!(f, "channel lagged by {count}"),
            }
        }
    }

    impl Error for TryRecvError {}
}

/// Creates a channel that keeps at least `capacity` values, rounded up to a power of two.
///
/// # Panics
///
/// Panics if `capacity` is zero, or more than `usize::MAX / 2`.
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let sender = Sender::with_receivers(capacity, 1);
    let receiver = Receiver { channel: Arc::clone(&sender.channel), next: 0 };
    (sender, receiver)
}

/// Sends to all [`Receiver`]s.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

/// A sender that does not keep its channel open.
pub struct WeakSender<T> {
    channel: Arc<Channel<T>>,
}

/// Receives what is sent after it was made.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
    /// The position of the value that it receives next.
    next: u64,
}

/// Lock order: the tail before a slot.
struct Channel<T> {
    /// As many as a power of two.
    slots: Box<[Mutex<Slot<T>>]>,
    tail: Mutex<Tail>,
    senders: AtomicUsize,
    weak_senders: AtomicUsize,
    /// Notified when the last receiver is dropped.
    unwatched: Notify,
}

struct Tail {
    /// The position of the next value to be sent.
    position: u64,
    receivers: usize,
    is_closed: bool,
    /// Receivers that have received everything.
    waiters: WaitList<()>,
}

struct Slot<T> {
    /// The position of the value that was put here last.
    position: u64,
    /// Receivers that have yet to receive it. The last one takes it out.
    left: usize,
    value: Option<T>,
}

// No code of others runs while a lock is held but `Clone`, which finds nothing half done.
impl<T> UnwindSafe for Channel<T> {}
impl<T> RefUnwindSafe for Channel<T> {}

impl<T> Channel<T> {
    fn slot(&self, position: u64) -> MutexGuard<'_, Slot<T>> {
        // Positions wrap at a multiple of the number of slots, so the low bits are enough.
        self.slots[position as usize & (self.slots.len() - 1)].lock()
    }
}

impl<T> Sender<T> {
    /// Creates a sender without a receiver: [`subscribe`](Sender::subscribe) makes some.
    ///
    /// # Panics
    ///
    /// Panics if `capacity` is zero, or more than `usize::MAX / 2`.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::with_receivers(capacity, 0)
    }

    #[track_caller]
    fn with_receivers(capacity: usize, receivers: usize) -> Self {
        assert!(capacity > 0, "broadcast channel capacity cannot be zero");
        assert!(capacity <= usize::MAX >> 1, "broadcast channel capacity exceeded `usize::MAX / 2`");
        let size = capacity.next_power_of_two();
        let slots = (0..size as u64).map(|at| {
            // One lap before the first.
            let position = at.wrapping_sub(size as u64);
            Mutex::new(Slot { position, left: 0, value: None })
        });
        let tail = Tail { position: 0, receivers, is_closed: false, waiters: WaitList::new() };
        Self {
            channel: Arc::new(Channel {
                slots: slots.collect(),
                tail: Mutex::new(tail),
                senders: AtomicUsize::new(1),
                weak_senders: AtomicUsize::new(0),
                unwatched: Notify::new(),
            }),
        }
    }

    /// Sends `value` to all receivers, and returns how many there are. It never waits.
    ///
    /// # Errors
    ///
    /// Returns the value if there is no receiver.
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        let mut wakers = Wakers::default();
        let mut tail = self.channel.tail.lock();
        let receivers = tail.receivers;
        if receivers == 0 {
            return Err(SendError(value));
        }
        let position = tail.position;
        tail.position = position.wrapping_add(1);
        let mut slot = self.channel.slot(position);
        slot.position = position;
        slot.left = receivers;
        let displaced = slot.value.replace(value);
        drop(slot);
        wake_all(&mut tail, &mut wakers);
        drop(tail);
        drop(displaced);
        wakers.wake();
        Ok(receivers)
    }

    /// Returns a new receiver, of what is sent from now on.
    #[must_use]
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::new(Arc::clone(&self.channel))
    }

    /// Returns a sender that does not keep the channel open.
    #[must_use]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::new(Arc::clone(&self.channel))
    }

    /// Returns the number of values that are kept for a receiver.
    #[must_use]
    pub fn len(&self) -> usize {
        let tail = self.channel.tail.lock();
        let size = self.channel.slots.len();
        // Receivers receive in order, so the kept values are the last ones.
        let (mut gone, mut kept) = (0, size);
        while gone < kept {
            let middle = gone + (kept - gone) / 2;
            let position = tail.position.wrapping_sub((size - middle) as u64);
            if self.channel.slot(position).left == 0 {
                gone = middle + 1;
            } else {
                kept = middle;
            }
        }
        size - gone
    }

    /// Returns true if no value is kept for a receiver.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let tail = self.channel.tail.lock();
        self.channel.slot(tail.position.wrapping_sub(1)).left == 0
    }

    /// Returns the number of receivers.
    #[must_use]
    pub fn receiver_count(&self) -> usize {
        self.channel.tail.lock().receivers
    }

    /// Returns true if both are of one channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// Waits until there is no receiver.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, nothing is lost.
    pub async fn closed(&self) {
        budget::consume().await;
        while self.receiver_count() > 0 {
            let unwatched = self.channel.unwatched.notified();
            if self.receiver_count() > 0 {
                unwatched.await;
            }
        }
    }

    /// Returns the number of senders.
    #[must_use]
    pub fn strong_count(&self) -> usize {
        self.channel.senders.load(Acquire)
    }

    /// Returns the number of weak senders.
    #[must_use]
    pub fn weak_count(&self) -> usize {
        self.channel.weak_senders.load(Acquire)
    }
}

fn wake_all(tail: &mut Tail, wakers: &mut Wakers) {
    while let Some(((), waker)) = tail.waiters.unlink_first() {
        wakers.push(waker);
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.channel.senders.fetch_add(1, Relaxed);
        Self { channel: Arc::clone(&self.channel) }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.channel.senders.fetch_sub(1, AcqRel) == 1 {
            let mut wakers = Wakers::default();
            let mut tail = self.channel.tail.lock();
            tail.is_closed = true;
            wake_all(&mut tail, &mut wakers);
            drop(tail);
            wakers.wake();
        }
    }
}

impl<T> WeakSender<T> {
    fn new(channel: Arc<Channel<T>>) -> Self {
        channel.weak_senders.fetch_add(1, Relaxed);
        Self { channel }
    }

    /// Returns a sender, if there is one left: a channel that was closed by that stays closed.
    #[must_use]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let more = |count: usize| (count > 0).then(|| count + 1);
        self.channel.senders.fetch_update(AcqRel, Relaxed, more).ok()?;
        Some(Sender { channel: Arc::clone(&self.channel) })
    }

    /// Returns the number of senders.
    #[must_use]
    pub fn strong_count(&self) -> usize {
        self.channel.senders.load(Acquire)
    }

    /// Returns the number of weak senders.
    #[must_use]
    pub fn weak_count(&self) -> usize {
        self.channel.weak_senders.load(Acquire)
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.channel))
    }
}

impl<T> Drop for WeakSender<T> {
    fn drop(&mut self) {
        self.channel.weak_senders.fetch_sub(1, AcqRel);
    }
}

impl<T> Receiver<T> {
    /// One that begins with the next value.
    fn new(channel: Arc<Channel<T>>) -> Self {
        let next = {
            let mut tail = channel.tail.lock();
            assert!(tail.receivers < usize::MAX >> 2, "max receivers");
            tail.receivers += 1;
            tail.position
        };
        Self { channel, next }
    }

    /// Returns the number of values that were sent and not received, those that were lost included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.channel.tail.lock().position.wrapping_sub(self.next) as usize
    }

    /// Returns true if everything that was sent was received.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if both are of one channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// Returns the number of senders.
    #[must_use]
    pub fn sender_strong_count(&self) -> usize {
        self.channel.senders.load(Acquire)
    }

    /// Returns the number of weak senders.
    #[must_use]
    pub fn sender_weak_count(&self) -> usize {
        self.channel.weak_senders.load(Acquire)
    }

    /// Returns true if all senders are gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.tail.lock().is_closed
    }

    /// Takes the next value by `take`, with its slot locked.
    ///
    /// `waiting` is a waker to leave, and the key it was left under, where nothing was sent.
    fn receive<R>(
        &mut self,
        take: impl FnOnce(&T) -> R,
        waiting: Option<(&Waker, &mut Option<usize>)>,
    ) -> Result<R, TryRecvError> {
        let slot = self.channel.slot(self.next);
        if slot.position == self.next {
            self.next = self.next.wrapping_add(1);
            return Ok(take_from(slot, take));
        }
        drop(slot);
        // Cloned before the lock is taken: it is foreign code.
        let waiting = waiting.map(|(waker, key)| (waker.clone(), key));
        let mut tail = self.channel.tail.lock();
        let slot = self.channel.slot(self.next);
        if slot.position == self.next {
            self.next = self.next.wrapping_add(1);
            drop(tail);
            return Ok(take_from(slot, take));
        }
        let size = self.channel.slots.len() as u64;
        if slot.position.wrapping_add(size) == self.next {
            drop(slot);
            if tail.is_closed {
                return Err(TryRecvError::Closed);
            }
            let mut displaced = None;
            if let Some((waker, key)) = waiting {
                displaced = match *key {
                    Some(key) if tail.waiters.is_linked(key) => tail.waiters.replace_waker(key, waker),
                    old => {
                        let removed = old.map(|old| tail.waiters.remove(old));
                        *key = Some(tail.waiters.push((), waker));
                        removed.and_then(|(_, _, waker)| waker)
                    }
                };
            }
            drop(tail);
            drop(displaced);
            return Err(TryRecvError::Empty);
        }
        drop(slot);
        let oldest = tail.position.wrapping_sub(size);
        drop(tail);
        let lost = oldest.wrapping_sub(self.next);
        self.next = oldest;
        Err(TryRecvError::Lagged(lost))
    }
}

/// Gives the value to `take`. The last receiver of it drops it.
fn take_from<T, R>(slot: MutexGuard<'_, Slot<T>>, take: impl FnOnce(&T) -> R) -> R {
    /// Counts the receiver even where `take` panics.
    struct Leaving<'a, T>(Option<MutexGuard<'a, Slot<T>>>);

    impl<T> Drop for Leaving<'_, T> {
        fn drop(&mut self) {
            let Some(mut slot) = self.0.take() else { return };
            slot.left -= 1;
            let value = if slot.left == 0 { slot.value.take() } else { None };
            drop(slot);
            drop(value);
        }
    }

    let leaving = Leaving(Some(slot));
    let value = leaving.0.as_ref().and_then(|slot| slot.value.as_ref());
    take(value.expect("a value stays until the last receiver has come by"))
}

impl<T: Clone> Receiver<T> {
    /// Returns a new receiver, of what is sent from now on.
    #[must_use]
    pub fn resubscribe(&self) -> Self {
        Self::new(Arc::clone(&self.channel))
    }

    /// Receives the next value.
    ///
    /// # Errors
    ///
    /// Returns [`RecvError::Lagged`] if values were lost since the last call, and
    /// [`RecvError::Closed`] once all senders are gone and everything was received.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, nothing was received.
    pub async fn recv(&mut self) -> Result<T, RecvError> {
        Recv { receiver: self, key: None }.await
    }

    /// Receives the next value, if there is one.
    ///
    /// # Errors
    ///
    /// Returns [`TryRecvError::Empty`] if nothing new was sent, [`TryRecvError::Lagged`] if values
    /// were lost since the last call, and [`TryRecvError::Closed`] once all senders are gone and
    /// everything was received.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.receive(T::clone, None)
    }

    /// Receives the next value, and blocks the calling thread until then.
    ///
    /// In a task of wsrt the processor is handed over for that long, so that other tasks go on.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`recv`](Receiver::recv).
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        block_on(self.recv())
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        /// Notifies senders of the last receiver's end, even where a value's destructor panics.
        struct Ending<'a>(Option<&'a Notify>);

        impl Drop for Ending<'_> {
            fn drop(&mut self) {
                self.0.inspect(|unwatched| unwatched.notify_waiters());
            }
        }

        let channel = Arc::clone(&self.channel);
        let mut tail = channel.tail.lock();
        tail.receivers -= 1;
        let (until, is_last) = (tail.position, tail.receivers == 0);
        drop(tail);
        // After the values are gone: a sender that is notified finds the channel empty.
        let _ending = Ending(is_last.then_some(&channel.unwatched));
        // A lag may lead past `until`, to values that were not sent to this receiver.
        while self.next != until && until.wrapping_sub(self.next) <= u64::MAX / 2 {
            match self.receive(|_| (), None) {
                Ok(()) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
    }
}

struct Recv<'a, T> {
    receiver: &'a mut Receiver<T>,
    /// In the list, once a poll has found nothing.
    key: Option<usize>,
}

impl<T: Clone> Future for Recv<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        ready!(budget::poll_proceed(cx));
        let received = match this.receiver.receive(T::clone, Some((cx.waker(), &mut this.key))) {
            Ok(value) => Ok(value),
            Err(TryRecvError::Empty) => return Poll::Pending,
            Err(TryRecvError::Closed) => Err(RecvError::Closed),
            Err(TryRecvError::Lagged(count)) => Err(RecvError::Lagged(count)),
        };
        budget::spend();
        Poll::Ready(received)
    }
}

impl<T> Drop for Recv<'_, T> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let removed = self.receiver.channel.tail.lock().waiters.remove(key);
            drop(removed);
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("broadcast::Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("broadcast::WeakSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("broadcast::Receiver").finish_non_exhaustive()
    }
}
