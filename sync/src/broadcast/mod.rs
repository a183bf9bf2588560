//! A channel that delivers every value to every receiver.
//!
//! The channel keeps a fixed number of values, and senders never wait. A receiver that falls
//! further behind than the capacity *lags*: it loses the oldest values, its next call reports how
//! many were lost, and the call after that returns the oldest value that the channel still has.
//!
//! # Examples
//!
//! ```
//! # mod wsrt { pub use wsrt_sync as sync; }
//! # wsrt_sync::blocking::block_on(async {
//! use wsrt::sync::broadcast;
//!
//! let (news, mut reader) = broadcast::channel(16);
//! let mut another = news.subscribe();
//! news.send("rain")?;
//! assert_eq!(reader.recv().await, Ok("rain"));
//! assert_eq!(another.recv().await, Ok("rain"));
//! # Ok::<(), broadcast::error::SendError<&str>>(())
//! # }).unwrap();
//! ```

mod channel;
pub mod error;
mod polled;
mod receiver;
mod sender;

#[doc(hidden)]
pub use self::polled::PolledBroadcast;
pub use self::receiver::Receiver;
pub use self::sender::{Sender, WeakSender};

use crate::sync::Arc;

/// Creates a broadcast channel that keeps at least `capacity` values. The capacity is rounded up to
/// the next power of two.
///
/// # Panics
///
/// Panics if `capacity` is 0, or greater than `usize::MAX / 2`.
///
/// # Examples
///
/// ```
/// # mod wsrt { pub use wsrt_sync as sync; }
/// # wsrt_sync::blocking::block_on(async {
/// let (sender, mut one) = wsrt::sync::broadcast::channel(16);
/// let mut other = sender.subscribe();
/// sender.send("news").expect("there are receivers");
/// assert_eq!((one.recv().await, other.recv().await), (Ok("news"), Ok("news")));
/// # });
/// ```
#[must_use = "a channel is of use with both ends"]
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let sender = Sender::with_receivers(capacity, 1);
    let receiver = Receiver::first(Arc::clone(&sender.channel));
    (sender, receiver)
}
