//! The sending ends.

use super::channel::{Channel, Slot, Tail};
use super::error::SendError;
use super::receiver::Receiver;
use crate::budget;
use crate::notify::Notify;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::{Arc, Mutex};
use crate::wait::WaitKind;
use crate::wait_list::WaitList;
use std::fmt;

/// Sends to all [`Receiver`]s.
pub struct Sender<T> {
    pub(super) channel: Arc<Channel<T>>,
}

/// A sender that does not keep its channel open.
pub struct WeakSender<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Sender<T> {
    /// Creates a sender without a receiver: [`subscribe`](Sender::subscribe) makes some.
    ///
    /// # Panics
    ///
    /// Panics if `capacity` is zero, or more than `usize::MAX / 2`.
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
        // Last: receivers are awake though its destructor panics.
        drop(displaced);
        Ok(receivers)
    }

    /// Returns a new receiver, of what is sent from now on.
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

    /// Returns a sender that does not keep the channel open.
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

    /// Returns `true` if both belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// Waits until there is no receiver.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, nothing is lost.
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
    fn new(channel: Arc<Channel<T>>) -> Self {
        channel.weak_senders.fetch_add(1, Relaxed);
        Self { channel }
    }

    /// Returns a sender, if there is one left. A channel without senders is closed and stays
    /// closed.
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
