//! The receiver of a bounded channel.

use super::bounded_channel::BoundedChannel;
use super::error::TryRecvError;
use crate::blocking::block_on;
use crate::sync::Arc;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// Receives what [`Sender`](super::Sender)s send.
pub struct Receiver<T> {
    channel: Arc<BoundedChannel<T>>,
}

impl<T> Receiver<T> {
    pub(super) fn new(channel: Arc<BoundedChannel<T>>) -> Self {
        Self { channel }
    }

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
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// std::thread::spawn(move || sender.blocking_send(1));
    /// assert_eq!(receiver.recv().await, Some(1));
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
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// std::thread::spawn(move || sender.blocking_send(7));
    /// assert_eq!(receiver.blocking_recv(), Some(7));
    /// assert_eq!(receiver.blocking_recv(), None, "the sender is gone");
    /// ```
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Option<T> {
        block_on(self.recv())
    }

    /// Receives up to `limit` values into `buffer`, and blocks the calling thread until there is
    /// one.
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

    /// Closes the channel: senders fail from now on. Values that were sent can still be received,
    /// and so can values that are sent with permits reserved before.
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

    /// Returns true if the channel is closed, or all senders are dropped.
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

    /// Returns true if the channel is empty.
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

    /// Returns the number of values in the channel.
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

    /// Returns the number of values that can be sent without waiting.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.channel.free()
    }

    /// Returns the capacity with which the channel was created.
    #[must_use]
    pub fn max_capacity(&self) -> usize {
        self.channel.capacity
    }

    /// Polls for the next value: see [`recv`](Receiver::recv).
    ///
    /// Wakes the task of the last poll.
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
        self.channel.poll_receive(cx)
    }

    /// Polls for up to `limit` values: see [`recv_many`](Receiver::recv_many).
    ///
    /// Wakes the task of the last poll.
    pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
        self.channel.poll_receive_many(cx, buffer, limit)
    }

    /// Returns the number of senders.
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

    /// Returns the number of weak senders.
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
