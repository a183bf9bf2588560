//! The channel that never makes its senders wait.

use super::channel::Channel;
use super::error::{SendError, TryRecvError};
use super::weak::counted_senders;
use crate::blocking::block_on;
use crate::sync::Arc;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// Creates an unbounded channel. Values that are sent faster than they are received take memory.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// use wsrt::sync::mpsc;
///
/// let (sender, mut receiver) = mpsc::unbounded_channel();
/// (0..3).for_each(|number| sender.send(number).expect("the receiver is there"));
/// drop(sender);
/// let mut sum = 0;
/// while let Some(number) = receiver.recv().await {
///     sum += number;
/// }
/// assert_eq!(sum, 3);
/// # });
/// ```
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let channel = Arc::new(Channel::new());
    (UnboundedSender { channel: Arc::clone(&channel) }, UnboundedReceiver { channel })
}

/// Sends to an [`UnboundedReceiver`].
pub struct UnboundedSender<T> {
    channel: Arc<Channel<T>>,
}

/// Receives what [`UnboundedSender`]s send.
pub struct UnboundedReceiver<T> {
    channel: Arc<Channel<T>>,
}

impl<T> UnboundedSender<T> {
    /// Sends `value`. It never waits.
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
    /// let (sender, mut receiver) = mpsc::unbounded_channel();
    /// sender.send(7).unwrap();
    /// assert_eq!(receiver.try_recv(), Ok(7));
    /// drop(receiver);
    /// assert_eq!(sender.send(8).unwrap_err().0, 8);
    /// ```
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.channel.push(value).map_err(SendError)?;
        Ok(())
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
    /// let (sender, receiver) = wsrt::sync::mpsc::unbounded_channel::<u32>();
    /// drop(receiver);
    /// sender.closed().await;
    /// # });
    /// ```
    pub async fn closed(&self) {
        self.channel.closed().await;
    }

    /// Returns true if the receiver was dropped or has closed the channel.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::unbounded_channel::<u32>();
    /// assert!(!sender.is_closed());
    /// drop(receiver);
    /// assert!(sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.queue.is_closed()
    }

    /// Returns `true` if both belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

counted_senders!(UnboundedSender, WeakUnboundedSender, Channel, "unbounded_channel::<u32>()");

impl<T> UnboundedReceiver<T> {
    /// Receives the next value. Returns `None` once all senders are dropped, or the channel is
    /// closed, and everything that was sent has been received.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, nothing was received.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::unbounded_channel();
    /// sender.send(7).unwrap();
    /// drop(sender);
    /// assert_eq!(receiver.recv().await, Some(7));
    /// assert_eq!(receiver.recv().await, None, "the sender is gone");
    /// # });
    /// ```
    pub async fn recv(&mut self) -> Option<T> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// Receives up to `limit` values into `buffer`, and returns how many: at least one, unless
    /// `limit` is zero or the channel has ended.
    ///
    /// # Cancel safety
    ///
    /// If dropped before it is ready, nothing was received.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let (sender, mut receiver) = wsrt::sync::mpsc::unbounded_channel();
    /// for number in 0..3 {
    ///     sender.send(number).expect("the receiver is there");
    /// }
    /// let mut numbers = Vec::new();
    /// receiver.recv_many(&mut numbers, 8).await;
    /// assert_eq!(numbers, [0, 1, 2]);
    /// # });
    /// ```
    pub async fn recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
        poll_fn(|cx| self.poll_recv_many(cx, buffer, limit)).await
    }

    /// Receives the next value, if there is one.
    ///
    /// # Errors
    ///
    /// Returns [`TryRecvError::Empty`] if there is none at the moment, and
    /// [`TryRecvError::Disconnected`] if there never will be.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, mut receiver) = wsrt::sync::mpsc::unbounded_channel();
    /// sender.send(7).expect("the receiver is there");
    /// assert_eq!(receiver.try_recv(), Ok(7));
    /// assert!(receiver.try_recv().is_err(), "it is empty");
    /// ```
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        // SAFETY: this is the receiver, borrowed mutably.
        unsafe { self.channel.try_receive() }
    }

    /// Blocks the calling thread until there is a value, and receives it.
    ///
    /// In a task of wsrt, another thread runs the other tasks during the wait.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::unbounded_channel();
    /// std::thread::spawn(move || sender.send(7));
    /// assert_eq!(receiver.blocking_recv(), Some(7));
    /// ```
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Option<T> {
        block_on(self.recv())
    }

    /// Receives up to `limit` values into `buffer`, and blocks the calling thread until there is
    /// one.
    #[track_caller]
    pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
        block_on(self.recv_many(buffer, limit))
    }

    /// Closes the channel: senders fail from now on. Values that were sent can still be received.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let (sender, mut receiver) = wsrt::sync::mpsc::unbounded_channel();
    /// sender.send(7).expect("the receiver is there");
    /// receiver.close();
    /// assert!(sender.send(8).is_err());
    /// assert_eq!((receiver.recv().await, receiver.recv().await), (Some(7), None));
    /// # });
    /// ```
    pub fn close(&mut self) {
        self.channel.close();
    }

    /// Returns true if the channel is closed, or all senders are dropped.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.queue.is_closed()
    }

    /// Returns true if the channel is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, receiver) = wsrt::sync::mpsc::unbounded_channel::<u32>();
    /// assert!(receiver.is_empty());
    /// # drop(sender);
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of values in the channel.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::unbounded_channel();
    /// assert!(receiver.is_empty());
    /// sender.send(7).unwrap();
    /// assert_eq!(receiver.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.channel.queue.len()
    }

    /// Polls for the next value: see [`recv`](UnboundedReceiver::recv).
    ///
    /// Wakes the task of the last poll.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        // SAFETY: this is the receiver, borrowed mutably.
        unsafe { self.channel.poll_receive(cx) }
    }

    /// Polls for up to `limit` values: see [`recv_many`](UnboundedReceiver::recv_many).
    ///
    /// Wakes the task of the last poll.
    pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
        // SAFETY: this is the receiver, borrowed mutably.
        unsafe { self.channel.poll_receive_many(cx, buffer, limit) }
    }

    /// Returns the number of senders.
    #[must_use]
    pub fn sender_strong_count(&self) -> usize {
        self.channel.senders.count()
    }

    /// Returns the number of weak senders.
    #[must_use]
    pub fn sender_weak_count(&self) -> usize {
        self.channel.senders.count_weak()
    }
}

impl<T> Drop for UnboundedReceiver<T> {
    fn drop(&mut self) {
        self.channel.close();
        // SAFETY: this is the receiver, borrowed mutably.
        unsafe { self.channel.drain() };
    }
}

impl<T> fmt::Debug for UnboundedReceiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnboundedReceiver").finish_non_exhaustive()
    }
}
