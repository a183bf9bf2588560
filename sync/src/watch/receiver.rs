//! The receiving half of a watch channel.

use super::error::RecvError;
use super::{CLOSED, ONE, Ref, WatchChannel};
use crate::budget;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::wait::WaitKind;
use std::future::poll_fn;

/// The receiving half of a watch channel, which reads the latest value that a
/// [`Sender`](super::Sender) has set, and waits for the next one.
#[derive(Debug)]
pub struct Receiver<T> {
    pub(super) channel: Arc<WatchChannel<T>>,
    /// The version that this receiver saw last.
    pub(super) seen: usize,
}

impl<T> Receiver<T> {
    pub(super) fn new(channel: Arc<WatchChannel<T>>, seen: usize) -> Self {
        channel.receivers.fetch_add(1, Relaxed);
        Self { channel, seen }
    }

    /// Returns a reference to the current value, and does not mark the value as seen.
    ///
    /// While the reference exists, sending a new value blocks the sender's thread.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let (sender, receiver) = watch::channel(1);
    /// assert_eq!(*receiver.borrow(), 1);
    /// sender.send(2).unwrap();
    /// assert_eq!(*receiver.borrow(), 2);
    /// assert!(receiver.has_changed().unwrap(), "it still counts as unseen");
    /// ```
    #[must_use]
    pub fn borrow(&self) -> Ref<'_, T> {
        self.channel.borrow(Some(self.seen)).0
    }

    /// Returns a reference to the current value, and marks the value as seen.
    ///
    /// While the reference exists, sending a new value blocks the sender's thread.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let (sender, mut receiver) = watch::channel(1);
    /// sender.send_replace(2);
    /// assert_eq!(receiver.has_changed().ok(), Some(true));
    /// assert_eq!(*receiver.borrow_and_update(), 2);
    /// assert_eq!(receiver.has_changed().ok(), Some(false));
    /// ```
    #[must_use]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let (value, version) = self.channel.borrow(Some(self.seen));
        self.seen = version;
        value
    }

    /// Returns `true` if the channel has a value that this receiver has not seen.
    ///
    /// # Errors
    ///
    /// Returns an error if all senders have been dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (level, mut receiver) = wsrt::sync::watch::channel(1);
    /// level.send_replace(2);
    /// assert!(receiver.has_changed().expect("the sender is there"));
    /// receiver.mark_unchanged();
    /// assert!(!receiver.has_changed().expect("the sender is there"));
    /// ```
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        let state = self.channel.state.load(Acquire);
        if state & CLOSED != 0 { Err(RecvError(())) } else { Ok(state != self.seen) }
    }

    /// Returns `true` if all senders have been dropped.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.channel.state.load(Acquire) & CLOSED != 0
    }

    /// Marks the current value as not seen, so that the next call of [`changed`](Receiver::changed)
    /// does not wait for a new value.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// let (_level, mut receiver) = wsrt::sync::watch::channel(1);
    /// receiver.mark_changed();
    /// receiver.changed().await.expect("the sender is there");
    /// # });
    /// ```
    pub fn mark_changed(&mut self) {
        self.seen = self.seen.wrapping_sub(ONE);
    }

    /// Marks the current value as seen, so that [`changed`](Receiver::changed) waits for the next
    /// one.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let (_sender, mut receiver) = watch::channel(1);
    /// receiver.mark_changed();
    /// assert!(receiver.has_changed().unwrap());
    /// receiver.mark_unchanged();
    /// assert!(!receiver.has_changed().unwrap());
    /// ```
    pub fn mark_unchanged(&mut self) {
        self.seen = self.channel.version();
    }

    /// Waits until the channel has a value that this receiver has not seen, and marks that value as
    /// seen.
    ///
    /// # Errors
    ///
    /// Returns an error if all senders have been dropped and this receiver has seen the last value.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: if the future is dropped before it completes, no value has been
    /// marked as seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::watch;
    ///
    /// let (sender, mut receiver) = watch::channel(0);
    /// std::thread::spawn(move || sender.send_replace(1));
    /// receiver.changed().await.expect("a value comes before the end");
    /// assert_eq!(*receiver.borrow(), 1);
    /// assert!(receiver.changed().await.is_err(), "the sender is gone");
    /// # });
    /// ```
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        poll_fn(budget::poll_proceed).await;
        let change = next_change(&self.channel, &mut self.seen).await;
        budget::spend();
        change
    }

    /// Waits until `condition` returns `true` for the current value, marks that value as seen, and
    /// returns a reference to it.
    ///
    /// The current value is checked first, even if this receiver has already seen it.
    ///
    /// # Errors
    ///
    /// Returns an error if all senders have been dropped and `condition` returns `false` for the
    /// last value.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it completes, the last value that was passed to `condition`
    /// counts as seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::watch;
    ///
    /// let (sender, mut receiver) = watch::channel(0);
    /// std::thread::spawn(move || (1..=3).for_each(|value| sender.send_modify(|now| *now = value)));
    /// assert_eq!(*receiver.wait_for(|value| *value == 3).await.expect("it comes"), 3);
    /// # });
    /// ```
    pub async fn wait_for(&mut self, mut condition: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        let channel = &self.channel;
        let mut is_closed = false;
        poll_fn(budget::poll_proceed).await;
        loop {
            if let Some(found) = find(channel, &mut self.seen, &mut condition, is_closed) {
                budget::spend();
                return found;
            }
            poll_fn(budget::poll_proceed).await;
            is_closed = next_change(channel, &mut self.seen).await.is_err();
            budget::spend();
        }
    }

    /// Returns `true` if `self` and `other` belong to the same channel.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let (sender, receiver) = watch::channel(1);
    /// assert!(receiver.same_channel(&sender.subscribe()));
    /// assert!(!receiver.same_channel(&watch::channel(1).1));
    /// ```
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

/// Borrows the value if `condition` returns `true` for it. Returns `None` if a newer value may
/// satisfy the condition. This function does not await, because a borrowed value stays on its
/// thread.
fn find<'a, T>(
    channel: &'a WatchChannel<T>,
    seen: &mut usize,
    condition: &mut impl FnMut(&T) -> bool,
    is_closed: bool,
) -> Option<Result<Ref<'a, T>, RecvError>> {
    let (value, version) = channel.borrow(Some(*seen));
    *seen = version;
    if (!is_closed || value.has_changed) && condition(&value) {
        return Some(Ok(value));
    }
    is_closed.then_some(Err(RecvError(())))
}

/// Waits for a version other than `seen`, and stores the version in `seen`.
async fn next_change<T>(channel: &WatchChannel<T>, seen: &mut usize) -> Result<(), RecvError> {
    loop {
        // Made before the look, so that a version that comes after the look ends the wait.
        let changed = channel.changed.notified_as(WaitKind::WatchChanged);
        if let Some(change) = channel.look_for_change(seen) {
            return change;
        }
        changed.await;
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.channel), self.seen)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if self.channel.receivers.fetch_sub(1, AcqRel) == 1 {
            self.channel.unwatched.notify_waiters();
        }
    }
}
