//! The channels' constructors, and the sender, which waits while the channel is full.

use super::MpmcChannel;
use super::error::{SendError, TrySendError};
use super::receiver::Receiver;
use super::receiver_line::ReceiverLine;
use crate::batch_semaphore;
use crate::blocking::block_on;
use crate::mpsc::reserve::Reserve;
use crate::mpsc::weak::counted_senders;
use crate::sync::Arc;

/// Creates a bounded channel that holds up to `buffer` values.
///
/// While the channel is full, senders wait until a receiver has taken a value out.
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
/// let (sender, receiver) = wsrt::sync::mpmc::channel(8);
/// let other = receiver.clone();
/// sender.send("hello").await.expect("the receivers are there");
/// assert_eq!(other.recv().await, Some("hello"));
/// assert!(receiver.is_empty());
/// # });
/// ```
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        buffer > 0,
        "wsrt: `mpmc::channel` needs room for a value: pass at least 1, or use `mpmc::unbounded_channel`"
    );
    let channel = Arc::new(MpmcChannel::new(buffer, ReceiverLine::new()));
    (Sender { channel: Arc::clone(&channel) }, Receiver::new(channel))
}

/// Creates an unbounded channel, whose senders never wait.
///
/// The channel is one with room for [`Semaphore::MAX_PERMITS`](crate::Semaphore::MAX_PERMITS)
/// values, so [`Sender::try_send`] sends at once and never finds the channel full. The queue grows
/// without limit while values are sent faster than they are received, so use
/// [`channel`](channel()) where the receivers may fall behind for long.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// let (sender, receiver) = wsrt::sync::mpmc::unbounded_channel();
/// (0..1000).for_each(|number| sender.try_send(number).expect("the receiver is there"));
/// drop(sender);
/// assert_eq!(std::iter::from_fn(|| receiver.blocking_recv()).count(), 1000);
/// ```
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn unbounded_channel<T>() -> (Sender<T>, Receiver<T>) {
    channel(batch_semaphore::MOST)
}

/// The sending half of a channel, created by [`channel`](channel()) or [`unbounded_channel`].
///
/// Clone the sender to send from several tasks. The channel ends when the last clone is dropped.
pub struct Sender<T> {
    channel: Arc<MpmcChannel<T>>,
}

impl<T> Sender<T> {
    /// Sends `value`, waiting while the channel is full.
    ///
    /// Waiting senders are served in the order in which they started to wait.
    ///
    /// # Errors
    ///
    /// Returns the value in a [`SendError`] if all receivers have been dropped or the channel has
    /// been closed.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, `value` has not been sent and is dropped, and
    /// the caller loses its place in the queue of senders.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpmc;
    ///
    /// let (sender, receiver) = mpmc::channel(1);
    /// sender.send("one").await.expect("the receiver is there");
    /// assert_eq!(receiver.recv().await, Some("one"));
    /// drop(receiver);
    /// assert_eq!(sender.send("two").await.unwrap_err().0, "two");
    /// # });
    /// ```
    pub async fn send(&self, value: T) -> Result<(), SendError<T>> {
        let Err(value) = self.channel.send_at_once(value) else { return Ok(()) };
        match Reserve::new(&self.channel, 1).await {
            Ok(()) => {
                self.channel.send(value);
                Ok(())
            }
            Err(_) => Err(SendError(value)),
        }
    }

    /// Sends `value` if the channel has room, without waiting.
    ///
    /// # Errors
    ///
    /// Returns the value in a [`TrySendError`] if the channel is full, if all receivers have been
    /// dropped or if the channel has been closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpmc;
    /// use wsrt::sync::mpmc::error::TrySendError;
    ///
    /// let (sender, _receiver) = mpmc::channel(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    /// ```
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        self.channel.try_send(value)
    }

    /// Sends `value`, blocking the calling thread while the channel is full.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
    ///
    /// # Errors
    ///
    /// Returns the value in a [`SendError`] if all receivers have been dropped or the channel has
    /// been closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpmc;
    ///
    /// let (sender, receiver) = mpmc::channel(1);
    /// let thread = std::thread::spawn(move || (0..3).for_each(|n| sender.blocking_send(n).unwrap()));
    /// assert_eq!([(); 3].map(|()| receiver.blocking_recv()), [Some(0), Some(1), Some(2)]);
    /// thread.join().unwrap();
    /// ```
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        block_on(self.send(value))
    }

    /// Waits until all receivers have been dropped or the channel has been closed.
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
    /// let (sender, receiver) = wsrt::sync::mpmc::channel::<u8>(1);
    /// drop((receiver.clone(), receiver));
    /// sender.closed().await;
    /// assert!(sender.is_closed());
    /// # });
    /// ```
    pub async fn closed(&self) {
        self.channel.closed().await;
    }

    /// Closes the channel, so that every later send fails, from any sender.
    ///
    /// Values that were sent earlier can still be received. Calling `close` again has no effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, receiver) = wsrt::sync::mpmc::channel(2);
    /// sender.try_send(1).expect("the channel is open");
    /// sender.close();
    /// assert!(sender.clone().try_send(2).is_err());
    /// assert_eq!((receiver.blocking_recv(), receiver.blocking_recv()), (Some(1), None));
    /// ```
    pub fn close(&self) {
        self.channel.close();
    }

    /// Returns `true` if all receivers have been dropped or the channel has been closed, so that
    /// every send fails.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.is_closed()
    }

    /// Returns `true` if the channel holds no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of values that are waiting in the channel to be received.
    #[must_use]
    pub fn len(&self) -> usize {
        self.channel.len()
    }

    /// Returns the number of values that can be sent right now without waiting.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, _receiver) = wsrt::sync::mpmc::channel(8);
    /// sender.try_send(1).expect("there is room");
    /// assert_eq!((sender.len(), sender.capacity(), sender.max_capacity()), (1, 7, 8));
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

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

counted_senders!(Sender, WeakSender, MpmcChannel, "mpmc", "channel::<u32>(1)");
