//! The receiver of a bounded channel.

use super::bounded_channel::BoundedChannel;
use super::bounded_state::{OneReceiver, ReceiverPlace};
use super::error::TryRecvError;
use crate::blocking::block_on;
use crate::sync::Arc;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// The receiving half of a bounded channel, created by [`channel`](super::channel()).
///
/// Dropping the receiver closes the channel and drops the values that have not been received.
pub struct Receiver<T> {
    channel: Arc<BoundedChannel<T>>,
    place: ReceiverPlace<OneReceiver>,
}

impl<T> Receiver<T> {
    pub(super) fn new(channel: Arc<BoundedChannel<T>>) -> Self {
        Self { channel, place: ReceiverPlace::none() }
    }

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
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// std::thread::spawn(move || sender.blocking_send(1));
    /// assert_eq!(receiver.recv().await, Some(1));
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
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(8);
    /// for number in 0..5 {
    ///     sender.send(number).await.expect("the receiver is there");
    /// }
    /// let mut batch = Vec::new();
    /// assert_eq!(receiver.recv_many(&mut batch, 4).await, 4);
    /// assert_eq!(batch, [0, 1, 2, 3]);
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
    /// use wsrt::sync::mpsc;
    /// use wsrt::sync::mpsc::error::TryRecvError;
    ///
    /// let (sender, mut receiver) = mpsc::channel::<u8>(1);
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// drop(sender);
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    /// ```
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.channel.try_receive()
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
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// std::thread::spawn(move || sender.blocking_send(7));
    /// assert_eq!(receiver.blocking_recv(), Some(7));
    /// assert_eq!(receiver.blocking_recv(), None, "the sender is gone");
    /// ```
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Option<T> {
        block_on(self.recv())
    }

    /// Appends up to `limit` values to `buffer`, and blocks the calling thread until at least one
    /// has arrived or the channel has ended.
    ///
    /// Returns the number of values appended.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, mut receiver) = wsrt::sync::mpsc::channel(8);
    /// sender.try_send(1).expect("there is room");
    /// sender.try_send(2).expect("there is room");
    /// let mut values = Vec::new();
    /// assert_eq!(receiver.blocking_recv_many(&mut values, 8), 2);
    /// assert_eq!(values, [1, 2]);
    /// ```
    #[track_caller]
    pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
        block_on(self.recv_many(buffer, limit))
    }

    /// Closes the channel, so that every later send fails.
    ///
    /// Values that were sent earlier can still be received, and so can values sent with permits
    /// that were reserved before the call. Calling `close` again has no effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(2);
    /// sender.send(1).await.expect("the channel is open");
    /// receiver.close();
    /// assert!(sender.send(2).await.is_err());
    /// assert_eq!(receiver.recv().await, Some(1));
    /// assert_eq!(receiver.recv().await, None);
    /// # });
    /// ```
    pub fn close(&mut self) {
        self.channel.close();
    }

    /// Returns `true` if the receiver has closed the channel or all senders have been dropped.
    ///
    /// Values that were sent earlier may still be waiting to be received.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel::<u32>(4);
    /// receiver.close();
    /// assert!(receiver.is_closed() && sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.is_closed()
    }

    /// Returns `true` if the channel holds no values.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, receiver) = wsrt::sync::mpsc::channel(8);
    /// assert!(receiver.is_empty());
    /// sender.try_send(1).expect("there is room");
    /// assert!(!receiver.is_empty());
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
    /// let (sender, receiver) = mpsc::channel(4);
    /// sender.try_send(1).unwrap();
    /// assert_eq!((receiver.len(), receiver.is_empty()), (1, false));
    /// assert_eq!((receiver.capacity(), receiver.max_capacity()), (3, 4));
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.channel.len()
    }

    /// Returns the number of values that can be sent right now without waiting.
    ///
    /// Reserved permits count as used capacity.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.channel.free()
    }

    /// Returns the capacity that the channel was created with.
    #[must_use]
    pub fn max_capacity(&self) -> usize {
        self.channel.capacity
    }

    /// Polls for the next value, for use in hand-written futures.
    ///
    /// Returns `Ready(None)` once the channel has ended, like [`recv`](Receiver::recv).
    ///
    /// If the result is [`Poll::Pending`], the task that polled last is woken when polling again is
    /// worthwhile. Tasks of earlier polls are not woken.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    /// use std::future::poll_fn;
    ///
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// sender.send(1).await.expect("the receiver is there");
    /// assert_eq!(poll_fn(|cx| receiver.poll_recv(cx)).await, Some(1));
    /// # });
    /// ```
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.channel.poll_receive(&mut self.place, cx)
    }

    /// Polls for up to `limit` values, and appends them to `buffer`.
    ///
    /// Returns the number of values appended, with the meaning that
    /// [`recv_many`](Receiver::recv_many) gives it.
    ///
    /// If the result is [`Poll::Pending`], the task that polled last is woken when polling again is
    /// worthwhile. Tasks of earlier polls are not woken.
    pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
        self.channel.poll_receive_many(&mut self.place, cx, buffer, limit)
    }

    /// Returns the number of senders, not counting weak senders.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::channel::<u32>(4);
    /// let _weak = sender.downgrade();
    /// assert_eq!((receiver.sender_strong_count(), receiver.sender_weak_count()), (1, 1));
    /// ```
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

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.channel.close();
        self.channel.drain();
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
