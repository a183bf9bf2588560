//! Permits, which hold room in a bounded channel for a value to come.

use super::bounded::Sender;
use super::bounded_channel::BoundedChannel;
use crate::sync::Arc;
use std::fmt;
use std::iter::FusedIterator;
use std::mem::ManuallyDrop;
use std::ptr;

/// A permit to send one value to a bounded channel, returned by [`Sender::reserve`] and
/// [`Sender::try_reserve`].
///
/// The channel keeps room for the value until the permit is used. Dropping the permit unused
/// releases the room.
#[must_use = "room that is held and not used makes others wait"]
pub struct Permit<'a, T> {
    permits: PermitIterator<'a, T>,
}

/// An iterator over permits to send one value each, returned by [`Sender::reserve_many`] and
/// [`Sender::try_reserve_many`].
///
/// Dropping the iterator releases the room of the permits that have not been taken out.
#[must_use = "room that is held and not used makes others wait"]
pub struct PermitIterator<'a, T> {
    channel: &'a BoundedChannel<T>,
    left: usize,
}

/// A permit to send one value that owns its sender, returned by [`Sender::reserve_owned`] and
/// [`Sender::try_reserve_owned`].
///
/// The permit borrows nothing, so it can be moved to another task. Dropping the permit unused
/// releases the room and drops the sender.
#[must_use = "room that is held and not used makes others wait"]
pub struct OwnedPermit<T> {
    sender: Sender<T>,
}

impl<'a, T> Permit<'a, T> {
    pub(super) fn new(channel: &'a BoundedChannel<T>) -> Self {
        Self { permits: PermitIterator::new(channel, 1) }
    }

    /// Sends `value` in the reserved room, without waiting.
    ///
    /// A receiver that has closed the channel still receives `value`. If the receiver has been
    /// dropped, `value` is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// let permit = sender.reserve().await.unwrap();
    /// assert_eq!(sender.capacity(), 0, "the place is taken");
    /// permit.send(7);
    /// assert_eq!(receiver.recv().await, Some(7));
    /// # });
    /// ```
    pub fn send(mut self, value: T) {
        self.permits.left = 0;
        self.permits.channel.send(value);
    }
}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}

impl<'a, T> PermitIterator<'a, T> {
    pub(super) fn new(channel: &'a BoundedChannel<T>, count: usize) -> Self {
        Self { channel, left: count }
    }
}

impl<'a, T> Iterator for PermitIterator<'a, T> {
    type Item = Permit<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(Permit::new(self.channel))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for PermitIterator<'_, T> {}
impl<T> FusedIterator for PermitIterator<'_, T> {}

impl<T> Drop for PermitIterator<'_, T> {
    fn drop(&mut self) {
        if self.left > 0 {
            self.channel.give(self.left);
        }
    }
}

impl<T> fmt::Debug for PermitIterator<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermitIterator").field("capacity", &self.left).finish_non_exhaustive()
    }
}

impl<T> OwnedPermit<T> {
    pub(super) fn new(sender: Sender<T>) -> Self {
        Self { sender }
    }

    /// Sends `value` in the reserved room, and returns the sender.
    ///
    /// A receiver that has closed the channel still receives `value`. If the receiver has been
    /// dropped, `value` is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel(1);
    /// let permit = sender.reserve_owned().await.unwrap();
    /// let sender = permit.send(7);
    /// assert_eq!(receiver.recv().await, Some(7));
    /// assert_eq!(sender.capacity(), 1);
    /// # });
    /// ```
    pub fn send(self, value: T) -> Sender<T> {
        let sender = self.into_sender();
        sender.channel.send(value);
        sender
    }

    /// Releases the reserved room without sending, and returns the sender.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, mut receiver) = mpsc::channel::<u8>(1);
    /// let permit = sender.try_reserve_owned().expect("there is room");
    /// let sender = permit.release();
    /// assert_eq!(sender.capacity(), 1);
    /// assert!(receiver.try_recv().is_err());
    /// ```
    pub fn release(self) -> Sender<T> {
        let sender = self.into_sender();
        sender.channel.give(1);
        sender
    }

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        self.sender.same_channel(&other.sender)
    }

    /// Returns `true` if the permit and `sender` belong to the same channel.
    #[must_use]
    pub fn same_channel_as_sender(&self, sender: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.sender.channel, &sender.channel)
    }

    /// The sender, without giving the room back.
    fn into_sender(self) -> Sender<T> {
        let permit = ManuallyDrop::new(self);
        // SAFETY: the permit is not dropped, so the sender is moved out once.
        unsafe { ptr::read(&raw const permit.sender) }
    }
}

impl<T> Drop for OwnedPermit<T> {
    fn drop(&mut self) {
        self.sender.channel.give(1);
    }
}

impl<T> fmt::Debug for OwnedPermit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedPermit").finish_non_exhaustive()
    }
}
