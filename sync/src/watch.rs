//! A channel that keeps only the latest value, for any number of senders and receivers.
//!
//! # Not guaranteed
//!
//! A receiver may miss values: if several values are sent before it looks, it sees only the latest
//! one.
//!
//! # Examples
//!
//! ```
//! # mod wsrt { pub use wsrt_sync as sync; }
//! # wsrt_sync::blocking::block_on(async {
//! use wsrt::sync::watch;
//!
//! let (config, mut changes) = watch::channel("quiet");
//! config.send("loud")?;
//! changes.changed().await.expect("the sender is there");
//! assert_eq!(*changes.borrow_and_update(), "loud");
//! # Ok::<(), watch::error::SendError<&str>>(())
//! # }).unwrap();
//! ```

pub mod error;
mod polled;
mod receiver;

#[doc(hidden)]
pub use self::polled::PolledWatch;
pub use self::receiver::Receiver;

use crate::budget;
use crate::console::state;
use crate::notify::Notify;
use crate::sync::Arc;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::{RwLock, RwLockReadGuard};
use crate::wait::WaitKind;
use std::fmt;
use std::mem;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind, resume_unwind};

use self::error::{RecvError, SendError};

/// The bit of the state that is set once all senders have been dropped.
const CLOSED: usize = 1;
/// One version, in the state's encoding.
const ONE: usize = 2;

/// Creates a watch channel whose first value is `init`.
///
/// The returned receiver counts `init` as seen, so [`Receiver::changed`] waits for the next value.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// use wsrt::sync::watch;
///
/// let (sender, receiver) = watch::channel(1);
/// sender.send(2).expect("the receiver is there");
/// assert_eq!(*receiver.borrow(), 2);
/// ```
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn channel<T>(init: T) -> (Sender<T>, Receiver<T>) {
    let sender = Sender::new(init);
    let receiver = sender.subscribe();
    (sender, receiver)
}

/// The sending half of a watch channel, which sets the value that all [`Receiver`]s see.
#[derive(Debug)]
pub struct Sender<T> {
    channel: Arc<WatchChannel<T>>,
}

/// A reference to the value of a watch channel, returned by `borrow` and similar methods.
///
/// While a `Ref` exists, sending a new value blocks the sender's thread. Keep a `Ref` only for a
/// moment, and never across an `.await`.
#[derive(Debug)]
pub struct Ref<'a, T> {
    value: RwLockReadGuard<'a, T>,
    has_changed: bool,
}

struct WatchChannel<T> {
    value: RwLock<T>,
    /// The version of the value, and `CLOSED`. The version is written with the value's lock held.
    state: AtomicUsize,
    senders: AtomicUsize,
    receivers: AtomicUsize,
    /// Notified of each new version, and when the last sender is dropped.
    changed: Notify,
    /// Notified when the last receiver is dropped.
    unwatched: Notify,
}

impl<T> UnwindSafe for WatchChannel<T> {}
impl<T> RefUnwindSafe for WatchChannel<T> {}

impl<T> WatchChannel<T> {
    /// Returns the version of the value, without `CLOSED`.
    fn version(&self) -> usize {
        // Acquire pairs with the AcqRel of a new version.
        self.state.load(Acquire) & !CLOSED
    }

    /// Stores a version other than `seen` in `seen`. Returns `None` if there is none yet, and an
    /// error if none will come.
    fn look_for_change(&self, seen: &mut usize) -> Option<Result<(), RecvError>> {
        // Acquire pairs with the AcqRel of a new version, and of the end.
        let state = self.state.load(Acquire);
        if state & !CLOSED != *seen {
            *seen = state & !CLOSED;
            return Some(Ok(()));
        }
        (state & CLOSED != 0).then_some(Err(RecvError(())))
    }

    fn borrow(&self, seen: Option<usize>) -> (Ref<'_, T>, usize) {
        let value = self.value.read();
        // With the lock held, it is the value's.
        let version = self.version();
        (Ref { value, has_changed: seen.is_some_and(|seen| seen != version) }, version)
    }
}

impl<T> Sender<T> {
    /// Creates a channel without a receiver, and returns its sender.
    ///
    /// Call [`subscribe`](Sender::subscribe) to add receivers.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let level = wsrt::sync::watch::Sender::new(1);
    /// let receiver = level.subscribe();
    /// level.send_replace(2);
    /// assert_eq!(*receiver.borrow(), 2);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(init: T) -> Self {
        Self {
            channel: Arc::new(WatchChannel {
                value: RwLock::new(init),
                state: AtomicUsize::new(0),
                senders: AtomicUsize::new(1),
                receivers: AtomicUsize::new(0),
                changed: Notify::new(),
                unwatched: Notify::new(),
            }),
        }
    }

    /// Sets the value, and wakes all receivers that wait for a change.
    ///
    /// # Errors
    ///
    /// Returns `value` if the channel has no receivers. In that case the channel keeps its previous
    /// value; [`send_replace`](Sender::send_replace) sets the value anyway.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// # wsrt_sync::blocking::block_on(async {
    /// use wsrt::sync::watch;
    ///
    /// let (sender, mut receiver) = watch::channel(1);
    /// sender.send(2).expect("the receiver is there");
    /// sender.send(3).expect("the receiver is there");
    /// receiver.changed().await.expect("the sender is there");
    /// assert_eq!(*receiver.borrow_and_update(), 3, "the last value alone");
    /// drop(receiver);
    /// assert_eq!(sender.send(4).unwrap_err().0, 4);
    /// # });
    /// ```
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        if self.is_closed() {
            return Err(SendError(value));
        }
        self.send_replace(value);
        Ok(())
    }

    /// Changes the value in place by calling `modify`, and wakes all receivers that wait for a
    /// change.
    ///
    /// The value is changed even if the channel has no receivers.
    ///
    /// # Panics
    ///
    /// Panics if `modify` panics. In that case no receiver is woken.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let (sender, receiver) = watch::channel(1);
    /// sender.send_modify(|count| *count += 1);
    /// assert_eq!(*receiver.borrow(), 2);
    /// ```
    pub fn send_modify<F: FnOnce(&mut T)>(&self, modify: F) {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    /// Changes the value in place by calling `modify`, and wakes the waiting receivers only if
    /// `modify` returns `true`.
    ///
    /// Returns the result of `modify`. The closure is called even if the channel has no receivers.
    ///
    /// # Panics
    ///
    /// Panics if `modify` panics. In that case no receiver is woken.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let (sender, receiver) = watch::channel(vec![1]);
    /// let has_grown = sender.send_if_modified(|list| {
    ///     let is_new = !list.contains(&1);
    ///     if is_new {
    ///         list.push(1);
    ///     }
    ///     is_new
    /// });
    /// assert!(!has_grown);
    /// assert_eq!(receiver.has_changed().ok(), Some(false));
    /// ```
    pub fn send_if_modified<F: FnOnce(&mut T) -> bool>(&self, modify: F) -> bool {
        let mut value = self.channel.value.write();
        let modified = catch_unwind(AssertUnwindSafe(|| modify(&mut value)));
        if let Ok(true) = modified {
            self.channel.state.fetch_add(ONE, AcqRel);
        }
        drop(value);
        match modified {
            Ok(true) => {
                self.channel.changed.notify_waiters();
                state!(self.channel.changed.shown, version = self.channel.version() / ONE);
                true
            }
            Ok(false) => false,
            Err(payload) => resume_unwind(payload),
        }
    }

    /// Sets the value and returns the previous one.
    ///
    /// The value is set even if the channel has no receivers.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let sender = watch::Sender::new(1);
    /// assert_eq!(sender.send_replace(2), 1, "though there is no receiver");
    /// assert_eq!(*sender.subscribe().borrow(), 2);
    /// ```
    pub fn send_replace(&self, mut value: T) -> T {
        self.send_modify(|old| mem::swap(old, &mut value));
        value
    }

    /// Returns a reference to the current value.
    ///
    /// While the reference exists, sending a new value blocks the sender's thread.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (level, _receiver) = wsrt::sync::watch::channel(1);
    /// assert_eq!(*level.borrow(), 1);
    /// ```
    #[must_use]
    pub fn borrow(&self) -> Ref<'_, T> {
        self.channel.borrow(None).0
    }

    /// Returns `true` if the channel has no receivers.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (level, receiver) = wsrt::sync::watch::channel(1);
    /// drop(receiver);
    /// assert!(level.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.receiver_count() == 0
    }

    /// Waits until the channel has no receivers.
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
    /// use wsrt::sync::watch;
    ///
    /// let (sender, receiver) = watch::channel(1);
    /// drop(receiver);
    /// sender.closed().await;
    /// assert!(sender.is_closed());
    /// # });
    /// ```
    pub async fn closed(&self) {
        budget::consume().await;
        while !self.is_closed() {
            let unwatched = self.channel.unwatched.notified_as(WaitKind::WatchClosed);
            if !self.is_closed() {
                unwatched.await;
            }
        }
    }

    /// Creates a new receiver, which counts the current value as seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// use wsrt::sync::watch;
    ///
    /// let (sender, receiver) = watch::channel(1);
    /// let other = sender.subscribe();
    /// assert_eq!((sender.receiver_count(), sender.is_closed()), (2, false));
    /// drop((receiver, other));
    /// assert_eq!((sender.receiver_count(), sender.is_closed()), (0, true));
    /// ```
    #[must_use]
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::new(Arc::clone(&self.channel), self.channel.version())
    }

    /// Returns the number of receivers.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod wsrt { pub use wsrt_sync as sync; }
    /// let (level, receiver) = wsrt::sync::watch::channel(1);
    /// let _other = receiver.clone();
    /// assert_eq!(level.receiver_count(), 2);
    /// ```
    #[must_use]
    pub fn receiver_count(&self) -> usize {
        self.channel.receivers.load(Acquire)
    }

    /// Returns the number of senders.
    #[must_use]
    pub fn sender_count(&self) -> usize {
        self.channel.senders.load(Acquire)
    }

    /// Returns `true` if `self` and `other` belong to the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.channel.senders.fetch_add(1, Relaxed);
        Self { channel: Arc::clone(&self.channel) }
    }
}

impl<T: Default> Default for Sender<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.channel.senders.fetch_sub(1, AcqRel) == 1 {
            self.channel.state.fetch_or(CLOSED, AcqRel);
            self.channel.changed.notify_waiters();
        }
    }
}

impl<T> Ref<'_, T> {
    /// Returns `true` if the receiver that lent this reference had not seen the value before.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for WatchChannel<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("WatchChannel");
        shown.field("version", &(self.version() / ONE)).field("receivers", &self.receivers);
        shown.finish_non_exhaustive()
    }
}
