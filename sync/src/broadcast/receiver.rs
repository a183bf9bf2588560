//! The receiving half of a broadcast channel.

use super::channel::{BroadcastChannel, take_from};
use super::error::{RecvError, TryRecvError};
use crate::blocking::block_on;
use crate::budget;
use crate::console::AsyncOp;
use crate::notify::Notify;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::Acquire;
use crate::wait::{self, WaitKind};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

/// The receiving half of a broadcast channel, which receives every value that is sent after the
/// receiver was created.
pub struct Receiver<T> {
    channel: Arc<BroadcastChannel<T>>,
    /// The position of the value that this receiver receives next.
    next: u64,
}

impl<T> Receiver<T> {
    /// Creates the first receiver of a new channel, which is already counted.
    pub(super) fn first(channel: Arc<BroadcastChannel<T>>) -> Self {
        Self { channel, next: 0 }
    }

    /// Creates a receiver that starts with the next value to be sent.
    pub(super) fn new(channel: Arc<BroadcastChannel<T>>) -> Self {
        let next = {
            let mut tail = channel.tail.lock();
            assert!(tail.receivers < usize::MAX >> 2, "max receivers");
            tail.receivers += 1;
            tail.position
        };
        Self { channel, next }
    }

    /// Returns the number of values that have been sent but not received by this receiver.
    ///
    /// Values that the receiver has lost by lagging behind are included until their loss is
    /// reported.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, receiver) = broadcast::channel(4);
    /// sender.send(1).unwrap();
    /// sender.send(2).unwrap();
    /// assert_eq!((receiver.len(), receiver.is_empty()), (2, false));
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.channel.tail.lock().position.wrapping_sub(self.next) as usize
    }

    /// Returns `true` if this receiver has received every value that was sent.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (sender, receiver) = wsrt::sync::broadcast::channel(16);
    /// assert!(receiver.is_empty());
    /// sender.send(7).expect("there is a receiver");
    /// assert!(!receiver.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }

    /// Returns the number of senders, not counting weak senders.
    #[must_use]
    pub fn sender_strong_count(&self) -> usize {
        self.channel.senders.load(Acquire)
    }

    /// Returns the number of weak senders, which do not keep the channel open.
    #[must_use]
    pub fn sender_weak_count(&self) -> usize {
        self.channel.weak_senders.load(Acquire)
    }

    /// Returns `true` if all senders have been dropped.
    ///
    /// Values that were sent earlier may still be waiting to be received.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, receiver) = broadcast::channel::<u32>(4);
    /// assert_eq!((receiver.sender_strong_count(), receiver.is_closed()), (1, false));
    /// drop(sender);
    /// assert!(receiver.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.tail.lock().is_closed
    }

    /// Leaves the wait list, if the receiver is in it under `key`.
    pub(super) fn leave_line(&self, key: &mut Option<usize>) {
        if let Some(key) = key.take() {
            wait::take_back(WaitKind::BroadcastReceive, self.channel.unwatched.place());
            let removed = self.channel.tail.lock().waiters.remove(key);
            drop(removed);
        }
    }

    /// Passes the next value to `take`, with the value's slot locked.
    ///
    /// If no value has been sent, the waker in `waiting` is stored, and its key is written to
    /// `waiting`.
    fn receive<R>(
        &mut self,
        take: impl FnOnce(&T) -> R,
        waiting: Option<(&Waker, &mut Option<usize>)>,
    ) -> Result<R, TryRecvError> {
        let slot = self.channel.slot(self.next);
        if slot.position == self.next {
            self.next = self.next.wrapping_add(1);
            return Ok(take_from(slot, take));
        }
        drop(slot);
        // Cloned before the lock is taken: it is foreign code.
        let waiting = waiting.map(|(waker, key)| (waker.clone(), key));
        let mut tail = self.channel.tail.lock();
        let slot = self.channel.slot(self.next);
        if slot.position == self.next {
            self.next = self.next.wrapping_add(1);
            drop(tail);
            return Ok(take_from(slot, take));
        }
        let size = self.channel.slots.len() as u64;
        if slot.position.wrapping_add(size) == self.next {
            drop(slot);
            if tail.is_closed {
                return Err(TryRecvError::Closed);
            }
            let mut displaced = None;
            if let Some((waker, key)) = waiting {
                displaced = match *key {
                    Some(key) if tail.waiters.is_linked(key) => tail.waiters.replace_waker(key, waker),
                    old => {
                        let removed = old.map(|old| tail.waiters.remove(old));
                        *key = Some(tail.waiters.push((), waker));
                        removed.and_then(|(_, _, waker)| waker)
                    }
                };
            }
            drop(tail);
            drop(displaced);
            return Err(TryRecvError::Empty);
        }
        drop(slot);
        let oldest = tail.position.wrapping_sub(size);
        drop(tail);
        let lost = oldest.wrapping_sub(self.next);
        self.next = oldest;
        Err(TryRecvError::Lagged(lost))
    }
}

impl<T: Clone> Receiver<T> {
    /// Creates a new receiver of the same channel, which receives the values that are sent after
    /// this call.
    ///
    /// Values that this receiver has yet to receive are not delivered to the new receiver.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, receiver) = broadcast::channel(4);
    /// sender.send(1).unwrap();
    /// assert!(receiver.resubscribe().is_empty());
    /// assert_eq!(receiver.len(), 1);
    /// ```
    #[must_use]
    pub fn resubscribe(&self) -> Self {
        Self::new(Arc::clone(&self.channel))
    }

    /// Receives the next value, waiting until one is sent.
    ///
    /// # Errors
    ///
    /// Returns [`RecvError::Lagged`] if values have been lost since the last call, and
    /// [`RecvError::Closed`] once all senders have been dropped and every value has been received.
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
    /// use wsrt::sync::broadcast;
    /// use wsrt::sync::broadcast::error::RecvError;
    ///
    /// let (sender, mut receiver) = broadcast::channel(2);
    /// (0..3).for_each(|value| drop(sender.send(value)));
    /// drop(sender);
    /// assert_eq!(receiver.recv().await, Err(RecvError::Lagged(1)));
    /// assert_eq!(receiver.recv().await, Ok(1));
    /// assert_eq!(receiver.recv().await, Ok(2));
    /// assert_eq!(receiver.recv().await, Err(RecvError::Closed));
    /// # });
    /// ```
    pub async fn recv(&mut self) -> Result<T, RecvError> {
        Recv { receiver: self, key: None, shown: AsyncOp::none() }.await
    }

    /// Receives the next value, or enters the wait list. The key in the list and the wait that is
    /// shown belong to the caller, who calls [`leave_line`](Self::leave_line) when it gives up.
    pub(super) fn poll_receive(
        &mut self,
        key: &mut Option<usize>,
        shown: &mut AsyncOp,
        cx: &mut Context<'_>,
    ) -> Poll<Result<T, RecvError>> {
        ready!(budget::poll_proceed(cx));
        let received = match self.receive(T::clone, Some((cx.waker(), key))) {
            Ok(value) => Ok(value),
            Err(TryRecvError::Empty) => {
                let channel = &self.channel;
                shown.pending(&channel.shown, WaitKind::BroadcastReceive, channel.unwatched.place());
                wait::note(WaitKind::BroadcastReceive, channel.unwatched.place());
                return Poll::Pending;
            }
            Err(TryRecvError::Closed) => Err(RecvError::Closed),
            Err(TryRecvError::Lagged(count)) => Err(RecvError::Lagged(count)),
        };
        shown.ready();
        budget::spend();
        Poll::Ready(received)
    }

    /// Receives the next value if one has been sent, without waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TryRecvError::Empty`] if no new value has been sent, [`TryRecvError::Lagged`] if
    /// values have been lost since the last call, and [`TryRecvError::Closed`] once all senders
    /// have been dropped and every value has been received.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::broadcast;
    /// use wsrt::sync::broadcast::error::TryRecvError;
    ///
    /// let (sender, mut receiver) = broadcast::channel(4);
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// sender.send(1).unwrap();
    /// assert_eq!(receiver.try_recv(), Ok(1));
    /// ```
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.receive(T::clone, None)
    }

    /// Receives the next value, blocking the calling thread until one is sent.
    ///
    /// If the caller is a wsrt task, another thread runs the runtime's other tasks in the meantime.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`recv`](Receiver::recv).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::broadcast;
    ///
    /// let (sender, mut receiver) = broadcast::channel(4);
    /// std::thread::spawn(move || sender.send(7)).join().unwrap().unwrap();
    /// assert_eq!(receiver.blocking_recv(), Ok(7));
    /// ```
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        block_on(self.recv())
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        /// Notifies senders that the last receiver is gone, even if a value's destructor panics.
        struct NotifyOnDrop<'a>(Option<&'a Notify>);

        impl Drop for NotifyOnDrop<'_> {
            fn drop(&mut self) {
                self.0.inspect(|unwatched| unwatched.notify_waiters());
            }
        }

        let channel = Arc::clone(&self.channel);
        let mut tail = channel.tail.lock();
        tail.receivers -= 1;
        let (until, is_last) = (tail.position, tail.receivers == 0);
        drop(tail);
        // After the values are gone: a sender that is notified finds the channel empty.
        let _ending = NotifyOnDrop(is_last.then_some(&channel.unwatched));
        // A lag may lead past `until`, to values that were not sent to this receiver.
        while self.next != until && until.wrapping_sub(self.next) <= u64::MAX / 2 {
            match self.receive(|_| (), None) {
                Ok(()) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
    }
}

struct Recv<'a, T> {
    receiver: &'a mut Receiver<T>,
    /// The key in the wait list, once a poll has found no value.
    key: Option<usize>,
    shown: AsyncOp,
}

impl<T: Clone> Future for Recv<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.receiver.poll_receive(&mut this.key, &mut this.shown, cx)
    }
}

impl<T> Drop for Recv<'_, T> {
    fn drop(&mut self) {
        self.receiver.leave_line(&mut self.key);
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("broadcast::Receiver").finish_non_exhaustive()
    }
}
