//! A channel in which each receiver gets each value, while it keeps up.
//!
//! The channel keeps a fixed number of values. A receiver that falls further behind than that has
//! lost the oldest ones: its next call says how many it missed, and the call after that returns
//! the oldest that is left. Senders never wait.
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
mod receiver;
mod sender;

pub use self::receiver::Receiver;
pub use self::sender::{Sender, WeakSender};

use crate::sync::Arc;

/// Creates a channel that keeps at least `capacity` values, rounded up to a power of two.
///
/// # Panics
///
/// Panics if `capacity` is zero, or more than `usize::MAX / 2`.
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
