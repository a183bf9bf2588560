//! The receiver, of which there can be many.

use super::MpmcChannel;
use super::error::TryRecvError;
use super::line_place::{LinePlace, ReceiveMany, ReceiveOne};
use crate::blocking::block_on;
use crate::sync::Arc;
use std::fmt;
use std::task::{Context, Poll};

/// The receiving half of a channel, created by [`channel`](super::channel()) or
/// [`unbounded_channel`](super::unbounded_channel).
///
/// Clone the receiver to receive in several tasks: each value goes to one of the clones. Dropping
/// the last clone closes the channel and drops the values that have not been received.
pub struct Receiver<T> {
    channel: Arc<MpmcChannel<T>>,
    /// The place of `poll_recv`.
    place: LinePlace,
}

impl<T> Receiver<T> {
    pub(super) fn new(channel: Arc<MpmcChannel<T>>) -> Self {
        Self { channel, place: LinePlace::none() }
    }

    /// Receives the next value, waiting while the channel is empty.
    ///
    /// Returns `None` once the channel has ended: all senders have been dropped or the channel has
    /// been closed, and every value that was sent has been received.
    ///
    /// A sent value wakes the receiver that has waited for the longest. If another receiver takes
    /// the value first, the woken receiver waits again, behind the others.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no value has been
    /// received, and none is lost. If the future was woken for a value, another receiver is woken
    /// for it.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpmc;
    ///
    /// let (sender, receiver) = mpmc::channel(1);
    /// std::thread::spawn(move || sender.blocking_send(1));
    /// assert_eq!(receiver.recv().await, Some(1));
    /// assert_eq!(receiver.recv().await, None, "the sender is gone");
    /// # });
    /// ```
    pub async fn recv(&self) -> Option<T> {
        ReceiveOne::new(&self.channel).await
    }

    /// Waits for at least one value, and appends up to `limit` values to `buffer`.
    ///
    /// Returns the number of values appended. The result is 0 only if `limit` is 0 or the channel
    /// has ended. A large `limit` leaves less for the other receivers.
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
    /// use wsrt::sync::mpmc;
    ///
    /// let (sender, receiver) = mpmc::channel(8);
    /// for number in 0..5 {
    ///     sender.send(number).await.expect("the receiver is there");
    /// }
    /// let mut batch = Vec::new();
    /// assert_eq!(receiver.recv_many(&mut batch, 4).await, 4);
    /// assert_eq!(batch, [0, 1, 2, 3]);
    /// # });
    /// ```
    pub async fn recv_many(&self, buffer: &mut Vec<T>, limit: usize) -> usize {
        ReceiveMany::new(&self.channel, buffer, limit).await
    }

    /// Receives the next value if the channel holds one, without waiting.
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
    /// use wsrt::sync::mpmc;
    /// use wsrt::sync::mpmc::error::TryRecvError;
    ///
    /// let (sender, receiver) = mpmc::channel::<u8>(1);
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// drop(sender);
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    /// ```
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
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
    /// use wsrt::sync::mpmc;
    ///
    /// let (sender, receiver) = mpmc::channel(1);
    /// std::thread::spawn(move || sender.blocking_send(7));
    /// assert_eq!(receiver.blocking_recv(), Some(7));
    /// assert_eq!(receiver.blocking_recv(), None, "the sender is gone");
    /// ```
    #[track_caller]
    pub fn blocking_recv(&self) -> Option<T> {
        block_on(self.recv())
    }

    /// Appends up to `limit` values to `buffer`, and blocks the calling thread until at least one
    /// has arrived or the channel has ended.
    ///
    /// Returns the number of values appended.
    #[track_caller]
    pub fn blocking_recv_many(&self, buffer: &mut Vec<T>, limit: usize) -> usize {
        block_on(self.recv_many(buffer, limit))
    }

    /// Polls for the next value, for use in hand-written futures and streams.
    ///
    /// Returns `Ready(None)` once the channel has ended, like [`recv`](Receiver::recv).
    ///
    /// If the result is [`Poll::Pending`], the task that polled last is woken when polling again is
    /// worthwhile. Tasks of earlier polls are not woken.
    ///
    /// # Not guaranteed
    ///
    /// A pending receiver keeps its place in the line of receivers until it is polled again or
    /// dropped. While other receivers wait, a value that wakes this one does not wake them.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpmc;
    /// use std::future::poll_fn;
    ///
    /// let (sender, mut receiver) = mpmc::channel(1);
    /// sender.send(1).await.expect("the receiver is there");
    /// assert_eq!(poll_fn(|cx| receiver.poll_recv(cx)).await, Some(1));
    /// # });
    /// ```
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.channel.poll_receive(&mut self.place, cx)
    }

    /// Closes the channel, so that every later send fails.
    ///
    /// Values that were sent earlier can still be received, by all receivers. Calling `close` again
    /// has no effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpmc;
    ///
    /// let (sender, receiver) = mpmc::channel(2);
    /// sender.send(1).await.expect("the channel is open");
    /// receiver.close();
    /// assert!(sender.send(2).await.is_err());
    /// assert_eq!(receiver.recv().await, Some(1));
    /// assert_eq!(receiver.recv().await, None);
    /// # });
    /// ```
    pub fn close(&self) {
        self.channel.close();
    }

    /// Returns `true` if the channel has been closed or all senders have been dropped.
    ///
    /// Values that were sent earlier may still be waiting to be received.
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
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, receiver) = wsrt::sync::mpmc::channel(4);
    /// sender.try_send(1).unwrap();
    /// assert_eq!((receiver.len(), receiver.is_empty()), (1, false));
    /// assert_eq!((receiver.capacity(), receiver.max_capacity()), (3, 4));
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.channel.len()
    }

    /// Returns the number of values that can be sent right now without waiting.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.channel.free()
    }

    /// Returns the capacity that the channel was created with.
    #[must_use]
    pub fn max_capacity(&self) -> usize {
        self.channel.capacity
    }

    /// Returns the number of receivers.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, receiver) = wsrt::sync::mpmc::channel::<u8>(1);
    /// let _other = receiver.clone();
    /// assert_eq!((receiver.receiver_count(), receiver.sender_count()), (2, 1));
    /// # drop(sender);
    /// ```
    #[must_use]
    pub fn receiver_count(&self) -> usize {
        self.channel.room.lock().receivers.alive
    }

    /// Returns the number of senders, not counting weak senders.
    #[must_use]
    pub fn sender_count(&self) -> usize {
        self.channel.senders.count()
    }

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.channel.room.lock().receivers.alive += 1;
        Self::new(Arc::clone(&self.channel))
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.channel.give_up(&mut self.place);
        let mut room = self.channel.room.lock();
        room.receivers.alive -= 1;
        let is_last = room.receivers.alive == 0;
        drop(room);
        if is_last {
            self.channel.close();
            self.channel.drain();
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
