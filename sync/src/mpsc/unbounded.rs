//! The channel whose senders never wait.

use super::channel::UnboundedChannel;
use super::error::{SendError, TryRecvError};
use super::weak::counted_senders;
use crate::blocking::block_on;
use crate::console::AsyncOp;
use crate::sync::Arc;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// Creates an unbounded channel, whose senders never wait.
///
/// The queue grows without limit while values are sent faster than they are received, so use
/// [`channel`](super::channel()) where the receiver may fall behind for long.
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
    let channel = Arc::new(UnboundedChannel::new());
    (UnboundedSender { channel: Arc::clone(&channel) }, UnboundedReceiver { channel, shown: AsyncOp::none() })
}

/// The sending half of an unbounded channel, created by [`unbounded_channel`].
///
/// Clone the sender to send from several tasks. The channel ends when the last clone is dropped.
pub struct UnboundedSender<T> {
    channel: Arc<UnboundedChannel<T>>,
}

/// The receiving half of an unbounded channel, created by [`unbounded_channel`].
///
/// Dropping the receiver closes the channel and drops the values that have not been received.
pub struct UnboundedReceiver<T> {
    channel: Arc<UnboundedChannel<T>>,
    shown: AsyncOp,
}

impl<T> UnboundedSender<T> {
    /// Sends `value` without waiting.
    ///
    /// The method is not async, so code outside a runtime can call it, too.
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
    /// let (sender, receiver) = wsrt::sync::mpsc::unbounded_channel::<u32>();
    /// drop(receiver);
    /// sender.closed().await;
    /// # });
    /// ```
    pub async fn closed(&self) {
        self.channel.closed().await;
    }

    /// Returns `true` if the receiver has been dropped or has closed the channel, so that every
    /// send fails.
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

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

counted_senders!(UnboundedSender, WeakUnboundedSender, UnboundedChannel, "mpsc", "unbounded_channel::<u32>()");

impl<T> UnboundedReceiver<T> {
    /// Receives the next value, waiting while the channel is empty.
    ///
    /// Returns `None` once the channel has ended: all senders have been dropped or the receiver has
    /// closed the channel, and every value that was sent has been received.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no value has been
    /// received, and none is lost.
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

    /// Waits for at least one value, and appends up to `limit` values to `buffer`.
    ///
    /// Returns the number of values appended. The result is 0 only if `limit` is 0 or the channel
    /// has ended.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no value has been
    /// received, and none is lost.
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

    /// Receives the next value if one has arrived, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryRecvError::Empty`] if the channel is empty at the moment, and
    /// [`TryRecvError::Disconnected`] if the channel has ended and no value can arrive any more.
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

    /// Receives the next value, blocking the calling thread while the channel is empty.
    ///
    /// Returns `None` once the channel has ended.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
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

    /// Appends up to `limit` values to `buffer`, and blocks the calling thread until at least one
    /// has arrived or the channel has ended.
    ///
    /// Returns the number of values appended.
    #[track_caller]
    pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
        block_on(self.recv_many(buffer, limit))
    }

    /// Closes the channel, so that every later send fails.
    ///
    /// Values that were sent earlier can still be received. Calling `close` again has no effect.
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

    /// Returns `true` if the receiver has closed the channel or all senders have been dropped.
    ///
    /// Values that were sent earlier may still be waiting to be received.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.queue.is_closed()
    }

    /// Returns `true` if the channel holds no values.
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

    /// Returns the number of values that are waiting in the channel to be received.
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

    /// Polls for the next value, for use in hand-written futures.
    ///
    /// Returns `Ready(None)` once the channel has ended, like [`recv`](UnboundedReceiver::recv).
    ///
    /// If the result is [`Poll::Pending`], the task that polled last is woken when polling again is
    /// worthwhile. Tasks of earlier polls are not woken.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        // SAFETY: this is the receiver, borrowed mutably.
        unsafe { self.channel.poll_receive(&mut self.shown, cx) }
    }

    /// Polls for up to `limit` values, and appends them to `buffer`.
    ///
    /// Returns the number of values appended, with the meaning that
    /// [`recv_many`](UnboundedReceiver::recv_many) gives it.
    ///
    /// If the result is [`Poll::Pending`], the task that polled last is woken when polling again is
    /// worthwhile. Tasks of earlier polls are not woken.
    pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
        // SAFETY: this is the receiver, borrowed mutably.
        unsafe { self.channel.poll_receive_many(&mut self.shown, cx, buffer, limit) }
    }

    /// Returns the number of senders, not counting weak senders.
    #[must_use]
    pub fn sender_strong_count(&self) -> usize {
        self.channel.senders.count()
    }

    /// Returns the number of weak senders, which do not keep the channel open.
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
