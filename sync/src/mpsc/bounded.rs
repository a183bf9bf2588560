//! The bounded channel's constructor and its sender, which waits while the channel is full.

use super::bounded_channel::BoundedChannel;
use super::bounded_receiver::Receiver;
use super::bounded_state::OneReceiver;
use super::error::{SendError, SendTimeoutError, TrySendError};
use super::permit::{OwnedPermit, Permit, PermitIterator};
use super::reserve::Reserve;
use super::weak::counted_senders;
use crate::blocking::block_on;
use crate::budget;
use crate::runtime_hooks::sleep;
use crate::sync::Arc;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

/// Creates a bounded channel that holds up to `buffer` values.
///
/// While the channel is full, senders wait until the receiver has taken a value out.
///
/// # Panics
///
/// Panics if `buffer` is 0, or greater than
/// [`Semaphore::MAX_PERMITS`](crate::Semaphore::MAX_PERMITS).
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// let (sender, mut receiver) = wsrt::sync::mpsc::channel(8);
/// sender.send("hello").await.expect("the receiver is there");
/// assert_eq!(receiver.recv().await, Some("hello"));
/// # });
/// ```
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    assert!(buffer > 0, "mpsc bounded channel requires buffer > 0");
    let channel = Arc::new(BoundedChannel::new(buffer, OneReceiver::default()));
    (Sender { channel: Arc::clone(&channel) }, Receiver::new(channel))
}

/// The sending half of a bounded channel, created by [`channel`].
///
/// Clone the sender to send from several tasks. The channel ends when the last clone is dropped.
pub struct Sender<T> {
    pub(super) channel: Arc<BoundedChannel<T>>,
}

impl<T> Sender<T> {
    /// Sends `value`, waiting while the channel is full.
    ///
    /// Waiting senders are served in the order in which they started to wait.
    ///
    /// # Errors
    ///
    /// Returns the value in a [`SendError`] if the receiver has been dropped or has closed the
    /// channel.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, `value` has not been sent and is dropped, and
    /// the caller loses its place in the queue of senders. To keep the value in that case, call
    /// [`reserve`](Sender::reserve) first and send with the permit.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// sender.send("one").await.expect("the receiver is there");
    /// assert_eq!(receiver.recv().await, Some("one"));
    /// drop(receiver);
    /// assert_eq!(sender.send("two").await.unwrap_err().0, "two");
    /// # });
    /// ```
    pub async fn send(&self, value: T) -> Result<(), SendError<T>> {
        let Err(value) = self.channel.send_at_once(value) else { return Ok(()) };
        match self.reserve().await {
            Ok(permit) => {
                permit.send(value);
                Ok(())
            }
            Err(SendError(())) => Err(SendError(value)),
        }
    }

    /// Waits until the receiver has been dropped or has closed the channel.
    ///
    /// A producer can use this method to stop working as soon as no one needs the values.
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
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::channel::<u8>(1);
    /// drop(receiver);
    /// sender.closed().await;
    /// assert!(sender.is_closed());
    /// # });
    /// ```
    pub async fn closed(&self) {
        self.channel.closed().await;
    }

    /// Sends `value` if the channel has room, without waiting.
    ///
    /// # Errors
    ///
    /// Returns the value in a [`TrySendError`] if the channel is full, or if the receiver has been
    /// dropped or has closed the channel.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    /// use wsrt::sync::mpsc::error::TrySendError;
    ///
    /// let (sender, _receiver) = mpsc::channel(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    /// ```
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        self.channel.try_send(value)
    }

    /// Sends `value`, waiting at most `timeout` for room in the channel.
    ///
    /// # Panics
    ///
    /// Panics if called where no runtime with timers is available.
    ///
    /// # Errors
    ///
    /// Returns the value in a [`SendTimeoutError`] if the channel is still full after `timeout`, or
    /// if the receiver has been dropped or has closed the channel.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, `value` has not been sent and is dropped, and
    /// the caller loses its place in the queue of senders.
    pub async fn send_timeout(&self, value: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        let (mut reserving, mut sleeping) = (pin!(self.reserve()), sleep(timeout));
        let reserved = poll_fn(|cx| match reserving.as_mut().poll(cx) {
            Poll::Ready(reserved) => Poll::Ready(Some(reserved)),
            Poll::Pending => sleeping.as_mut().poll(cx).map(|()| None),
        });
        match reserved.await {
            Some(Ok(permit)) => {
                permit.send(value);
                Ok(())
            }
            Some(Err(SendError(()))) => Err(SendTimeoutError::Closed(value)),
            None => Err(SendTimeoutError::Timeout(value)),
        }
    }

    /// Sends `value`, blocking the calling thread while the channel is full.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
    ///
    /// # Errors
    ///
    /// Returns the value in a [`SendError`] if the receiver has been dropped or has closed the
    /// channel.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// let thread = std::thread::spawn(move || (0..3).for_each(|n| sender.blocking_send(n).unwrap()));
    /// assert_eq!([(); 3].map(|()| receiver.blocking_recv()), [Some(0), Some(1), Some(2)]);
    /// thread.join().unwrap();
    /// ```
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        block_on(self.send(value))
    }

    /// Returns `true` if the receiver has been dropped or has closed the channel, so that every
    /// send fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, receiver) = wsrt::sync::mpsc::channel::<u32>(8);
    /// drop(receiver);
    /// assert!(sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.is_closed()
    }

    /// Waits until the channel has room for one value, and reserves that room.
    ///
    /// The returned [`Permit`] sends one value without waiting. Dropping the permit unused releases
    /// the room.
    ///
    /// # Errors
    ///
    /// Returns an error if the receiver has been dropped or has closed the channel.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no capacity is
    /// lost. The caller loses its place in the queue of senders.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// let permit = sender.reserve().await.expect("the receiver is there");
    /// assert_eq!(sender.capacity(), 0, "the room is held");
    /// permit.send("made only now");
    /// assert_eq!(receiver.recv().await, Some("made only now"));
    /// # });
    /// ```
    pub async fn reserve(&self) -> Result<Permit<'_, T>, SendError<()>> {
        self.take(1).await?;
        Ok(Permit::new(&self.channel))
    }

    /// Waits until the channel has room for `n` values, and reserves that room.
    ///
    /// Returns an iterator over `n` permits, each of which sends one value without waiting.
    ///
    /// # Errors
    ///
    /// Returns an error if the receiver has been dropped or has closed the channel, or if `n` is
    /// greater than the channel's maximum capacity.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no capacity is
    /// lost. The caller loses its place in the queue of senders.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(2);
    /// for (number, permit) in sender.reserve_many(2).await.expect("the receiver is there").enumerate() {
    ///     permit.send(number);
    /// }
    /// assert_eq!((receiver.recv().await, receiver.recv().await), (Some(0), Some(1)));
    /// # });
    /// ```
    pub async fn reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, SendError<()>> {
        self.take(n).await?;
        Ok(PermitIterator::new(&self.channel, n))
    }

    /// Waits until the channel has room for one value, reserves that room, and moves the sender
    /// into the returned permit.
    ///
    /// Unlike [`reserve`](Sender::reserve), the permit does not borrow the sender, so it can be
    /// moved to another task. Clone the sender first to continue to use it.
    ///
    /// # Errors
    ///
    /// Returns an error if the receiver has been dropped or has closed the channel. In both cases
    /// the sender is dropped.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, no capacity is lost, but the sender is dropped
    /// and the caller loses its place in the queue of senders.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// let permit = sender.reserve_owned().await.expect("the receiver is there");
    /// let sender = permit.send(1);
    /// assert_eq!(receiver.recv().await, Some(1));
    /// assert!(!sender.is_closed());
    /// # });
    /// ```
    pub async fn reserve_owned(self) -> Result<OwnedPermit<T>, SendError<()>> {
        self.take(1).await?;
        Ok(OwnedPermit::new(self))
    }

    async fn take(&self, count: usize) -> Result<(), SendError<()>> {
        if count > self.channel.capacity {
            budget::consume().await;
            return Err(SendError(()));
        }
        Reserve::new(&self.channel, count).await.map_err(|_| SendError(()))
    }

    /// Reserves room for one value if the channel has room, without waiting.
    ///
    /// The returned [`Permit`] sends one value without waiting. Dropping the permit unused releases
    /// the room.
    ///
    /// # Errors
    ///
    /// Returns an error if the channel is full, or if the receiver has been dropped or has closed
    /// the channel.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
    /// let permit = sender.try_reserve().expect("there is room");
    /// assert!(sender.try_send(8).is_err(), "the permit has it");
    /// permit.send(7);
    /// assert_eq!(receiver.try_recv(), Ok(7));
    /// ```
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        self.try_take(1)?;
        Ok(Permit::new(&self.channel))
    }

    /// Reserves room for `n` values if the channel has that much room, without waiting.
    ///
    /// Returns an iterator over `n` permits, each of which sends one value without waiting.
    ///
    /// # Errors
    ///
    /// Returns an error if the channel has room for fewer than `n` values, or if the receiver has
    /// been dropped or has closed the channel.
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        if n > self.channel.capacity {
            return Err(TrySendError::Full(()));
        }
        self.try_take(n)?;
        Ok(PermitIterator::new(&self.channel, n))
    }

    /// Reserves room for one value if the channel has room, and moves the sender into the returned
    /// permit. Never waits.
    ///
    /// # Errors
    ///
    /// Returns the sender in a [`TrySendError`] if the channel is full, or if the receiver has been
    /// dropped or has closed the channel.
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Self>> {
        match self.try_take(1) {
            Ok(()) => Ok(OwnedPermit::new(self)),
            Err(TrySendError::Full(())) => Err(TrySendError::Full(self)),
            Err(TrySendError::Closed(())) => Err(TrySendError::Closed(self)),
        }
    }

    fn try_take(&self, count: usize) -> Result<(), TrySendError<()>> {
        self.channel.try_take(count).map_err(|refused| TrySendError::of(refused, ()))
    }

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// Returns the number of values that can be sent right now without waiting.
    ///
    /// Reserved permits count as used capacity.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, _receiver) = wsrt::sync::mpsc::channel(8);
    /// sender.try_send(1).expect("there is room");
    /// assert_eq!((sender.capacity(), sender.max_capacity()), (7, 8));
    /// ```
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.channel.free()
    }

    /// Returns the capacity that the channel was created with.
    #[must_use]
    pub fn max_capacity(&self) -> usize {
        self.channel.capacity
    }
}

counted_senders!(Sender, WeakSender, BoundedChannel, "mpsc", "channel::<u32>(1)");
