//! The sending half of a broadcast channel.

use super::channel::{BroadcastChannel, Slot, Tail};
use super::error::SendError;
use super::receiver::Receiver;
use crate::budget;
use crate::console::{Resource, state};
use crate::notify::Notify;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::{Arc, Mutex};
use crate::wait::WaitKind;
use crate::wait_list::WaitList;
use std::fmt;

/// The sending half of a broadcast channel, whose values reach every [`Receiver`].
///
/// Clone the sender to send from several tasks. The channel ends when the last clone is dropped.
pub struct Sender<T> {
    pub(super) channel: Arc<BroadcastChannel<T>>,
}

/// A sender that does not keep its channel open.
///
/// Call [`upgrade`](WeakSender::upgrade) to get a [`Sender`], as long as another sender exists.
pub struct WeakSender<T> {
    channel: Arc<BroadcastChannel<T>>,
}

impl<T> Sender<T> {
    /// Creates a channel without a receiver, and returns its sender.
    ///
    /// Call [`subscribe`](Sender::subscribe) to add receivers.
    ///
    /// # Panics
    ///
    /// Panics if `capacity` is 0, or greater than `usize::MAX / 2`.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let sender = wsrt::sync::broadcast::Sender::new(16);
    /// let mut receiver = sender.subscribe();
    /// sender.send(7).expect("there is a receiver");
    /// assert_eq!(receiver.recv().await, Ok(7));
    /// # });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::with_receivers(capacity, 0)
    }

    #[track_caller]
    pub(super) fn with_receivers(capacity: usize, receivers: usize) -> Self {
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
            channel: Arc::new(BroadcastChannel {
                slots: slots.collect(),
                tail: Mutex::new(tail),
                senders: AtomicUsize::new(1),
                weak_senders: AtomicUsize::new(0),
                unwatched: Notify::new(),
                shown: Resource::new(),
            }),
        }
    }

    /// Sends `value` to all receivers without waiting, and returns the number of receivers.
    ///
    /// A receiver that is counted may still be dropped, or lag behind, before it receives the
    /// value.
    ///
    /// # Errors
    ///
    /// Returns the value if the channel has no receivers.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, mut receiver) = broadcast::channel(4);
    /// assert_eq!(sender.send("rain").unwrap(), 1, "one receiver");
    /// assert_eq!(receiver.recv().await, Ok("rain"));
    /// drop(receiver);
    /// assert_eq!(sender.send("sun").unwrap_err().0, "sun");
    /// # });
    /// ```
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
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
        self.channel.wake_all(tail);
        state!(self.channel.shown, sent = position.wrapping_add(1));
        // Last: receivers are awake though its destructor panics.
        drop(displaced);
        Ok(receivers)
    }

    /// Creates a new receiver, which receives the values that are sent after this call.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, mut first) = broadcast::channel(4);
    /// sender.send("rain").unwrap();
    /// let mut second = sender.subscribe();
    /// sender.send("sun").unwrap();
    /// assert_eq!(first.recv().await, Ok("rain"));
    /// assert_eq!(second.recv().await, Ok("sun"));
    /// # });
    /// ```
    #[must_use]
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::new(Arc::clone(&self.channel))
    }

    /// Creates a weak sender of the same channel, which does not keep the channel open.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, _receiver) = broadcast::channel::<u32>(4);
    /// let weak = sender.downgrade();
    /// assert!(weak.upgrade().is_some());
    /// drop(sender);
    /// assert!(weak.upgrade().is_none(), "it keeps nothing open");
    /// ```
    #[must_use]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::new(Arc::clone(&self.channel))
    }

    /// Returns the number of values that at least one receiver has yet to receive.
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

    /// Returns `true` if no receiver has a value left to receive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let tail = self.channel.tail.lock();
        self.channel.slot(tail.position.wrapping_sub(1)).left == 0
    }

    /// Returns the number of receivers.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, receiver) = broadcast::channel::<u32>(4);
    /// let _other = sender.subscribe();
    /// assert_eq!(sender.receiver_count(), 2);
    /// drop(receiver);
    /// assert_eq!(sender.receiver_count(), 1);
    /// ```
    #[must_use]
    pub fn receiver_count(&self) -> usize {
        self.channel.tail.lock().receivers
    }

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// Waits until the channel has no receivers.
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
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, receiver) = broadcast::channel::<u8>(4);
    /// drop(receiver);
    /// sender.closed().await;
    /// assert_eq!(sender.receiver_count(), 0);
    /// # });
    /// ```
    pub async fn closed(&self) {
        budget::consume().await;
        while self.receiver_count() > 0 {
            let unwatched = self.channel.unwatched.notified_as(WaitKind::BroadcastClosed);
            if self.receiver_count() > 0 {
                unwatched.await;
            }
        }
    }

    /// Returns the number of senders, not counting weak senders.
    #[must_use]
    pub fn strong_count(&self) -> usize {
        self.channel.senders.load(Acquire)
    }

    /// Returns the number of weak senders, which do not keep the channel open.
    #[must_use]
    pub fn weak_count(&self) -> usize {
        self.channel.weak_senders.load(Acquire)
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
            let mut tail = self.channel.tail.lock();
            tail.is_closed = true;
            self.channel.wake_all(tail);
        }
    }
}

impl<T> WeakSender<T> {
    fn new(channel: Arc<BroadcastChannel<T>>) -> Self {
        channel.weak_senders.fetch_add(1, Relaxed);
        Self { channel }
    }

    /// Returns a sender of the channel, or `None` if all senders have been dropped.
    ///
    /// A channel without senders has ended and cannot be reopened.
    #[must_use]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let more = |count: usize| (count > 0).then(|| count + 1);
        self.channel.senders.fetch_update(AcqRel, Relaxed, more).ok()?;
        Some(Sender { channel: Arc::clone(&self.channel) })
    }

    /// Returns the number of senders, not counting weak senders.
    #[must_use]
    pub fn strong_count(&self) -> usize {
        self.channel.senders.load(Acquire)
    }

    /// Returns the number of weak senders, which do not keep the channel open.
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
