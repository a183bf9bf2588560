//! The channel that makes its senders wait while it is full.

use super::bounded_channel::BoundedChannel;
use super::bounded_receiver::Receiver;
use super::error::{SendError, SendTimeoutError, TrySendError};
use super::permit::{OwnedPermit, Permit, PermitIterator};
use super::reserve::Reserve;
use super::weak::counted_senders;
use crate::blocking::block_on;
use crate::budget;
use crate::lend::sleep;
use crate::permits::{self, Refused};
use crate::sync::Arc;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

/// Creates a bounded channel. Senders wait while it holds `buffer` values.
///
/// # Panics
///
/// Panics if `buffer` is zero, or more than
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
    assert!(buffer <= permits::MOST, "a channel has room for at most usize::MAX >> 3 values");
    let channel = Arc::new(BoundedChannel::new(buffer));
    (Sender { channel: Arc::clone(&channel) }, Receiver::new(channel))
}

/// Sends to a [`Receiver`].
pub struct Sender<T> {
    pub(super) channel: Arc<BoundedChannel<T>>,
}

impl<T> Sender<T> {
    /// Sends `value`, and waits while the channel is full.
    ///
    /// Senders that wait are served in the order in which they came.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver was dropped or has closed the channel.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, the value was not sent and is dropped, and the place in line
    /// is lost. [`reserve`](Sender::reserve) keeps the value.
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

    /// Waits until the receiver is dropped or closes the channel.
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

    /// Sends `value` if there is room.
    ///
    /// # Errors
    ///
    /// Returns the value if the channel is full, or the receiver was dropped or has closed it.
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
        self.channel.try_send(value).map_err(|(refused, value)| match refused {
            Refused::Closed => TrySendError::Closed(value),
            Refused::TooFew => TrySendError::Full(value),
        })
    }

    /// Sends `value`, and waits for room for at most `timeout`.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime with timers.
    ///
    /// # Errors
    ///
    /// Returns the value if the channel stays full for so long, or the receiver was dropped or has
    /// closed it.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, the value was not sent and is dropped, and the place in line
    /// is lost.
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

    /// Sends `value`, and blocks the calling thread while the channel is full.
    ///
    /// In a task of wsrt, another thread runs the other tasks during the wait.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver was dropped or has closed the channel.
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

    /// Returns true if the receiver was dropped or has closed the channel.
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

    /// Waits for room for one value, and reserves it until the permit is used or dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the receiver was dropped or has closed the channel.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, no room is lost, but the place in line is.
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

    /// Waits for room for `n` values, and returns an iterator over `n` permits.
    ///
    /// # Errors
    ///
    /// Returns an error if the receiver was dropped or has closed the channel, or if `n` is more
    /// than the channel was made for.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, no room is lost, but the place in line is.
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

    /// Waits for room for one value, and moves the sender into the permit.
    ///
    /// # Errors
    ///
    /// Returns an error if the receiver was dropped or has closed the channel. The sender is
    /// dropped.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, no room is lost, but the sender and the place in line are.
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

    /// Reserves room for one value, if there is room.
    ///
    /// # Errors
    ///
    /// Returns an error if the channel is full, or the receiver was dropped or has closed it.
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

    /// Reserves room for `n` values, if there is room.
    ///
    /// # Errors
    ///
    /// Returns an error if there is less room, or the receiver was dropped or has closed the
    /// channel.
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        if n > self.channel.capacity {
            return Err(TrySendError::Full(()));
        }
        self.try_take(n)?;
        Ok(PermitIterator::new(&self.channel, n))
    }

    /// Reserves room for one value, if there is room, and moves the sender into the permit.
    ///
    /// # Errors
    ///
    /// Returns the sender if the channel is full, or the receiver was dropped or has closed it.
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Self>> {
        match self.try_take(1) {
            Ok(()) => Ok(OwnedPermit::new(self)),
            Err(TrySendError::Full(())) => Err(TrySendError::Full(self)),
            Err(TrySendError::Closed(())) => Err(TrySendError::Closed(self)),
        }
    }

    fn try_take(&self, count: usize) -> Result<(), TrySendError<()>> {
        self.channel.try_take(count).map_err(|refused| match refused {
            Refused::Closed => TrySendError::Closed(()),
            Refused::TooFew => TrySendError::Full(()),
        })
    }

    /// Returns `true` if both belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// Returns the number of values that can be sent without waiting.
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

    /// Returns the capacity with which the channel was created.
    #[must_use]
    pub fn max_capacity(&self) -> usize {
        self.channel.capacity
    }
}

counted_senders!(Sender, WeakSender, BoundedChannel, "channel::<u32>(1)");
