//! The weak sender of a bounded channel.

use super::bounded::Sender;
use super::bounded_channel::BoundedChannel;
use crate::sync::Arc;
use std::fmt;

/// A sender that does not keep its channel open.
pub struct WeakSender<T> {
    channel: Arc<BoundedChannel<T>>,
}

impl<T> WeakSender<T> {
    pub(super) fn new(channel: Arc<BoundedChannel<T>>) -> Self {
        channel.senders.add_weak();
        Self { channel }
    }

    /// Returns a sender, if there is one left. A channel without senders is closed and stays
    /// closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::mpsc;
    ///
    /// let (sender, _receiver) = mpsc::channel::<u32>(1);
    /// let weak = sender.downgrade();
    /// assert_eq!((weak.strong_count(), weak.weak_count()), (1, 1));
    /// assert!(weak.upgrade().is_some());
    /// drop(sender);
    /// assert!(weak.upgrade().is_none());
    /// ```
    #[must_use]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        self.channel.senders.try_add().then(|| Sender { channel: Arc::clone(&self.channel) })
    }

    /// Returns the number of senders.
    #[must_use]
    pub fn strong_count(&self) -> usize {
        self.channel.senders.count()
    }

    /// Returns the number of weak senders.
    #[must_use]
    pub fn weak_count(&self) -> usize {
        self.channel.senders.count_weak()
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.channel))
    }
}

impl<T> Drop for WeakSender<T> {
    fn drop(&mut self) {
        self.channel.senders.remove_weak();
    }
}

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakSender").finish_non_exhaustive()
    }
}
