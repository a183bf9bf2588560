//! Channels from many senders to one receiver.
//!
//! [`channel()`] is bounded: [`Sender::send`] waits while it is full. [`unbounded_channel`] never
//! waits, and grows. Values arrive in the order in which they were sent, and each arrives once.
//!
//! When all senders are dropped, the receiver gets what was sent and then `None`. When the receiver
//! is dropped or closes the channel, senders get their values back.
//!
//! # Not guaranteed
//!
//! Values of senders that send at the same time may arrive in any order. Memory that a long queue
//! took is released as the queue is emptied, except for a little that is kept for the next values.
//!
//! # Examples
//!
//! ```
//! # mod wsrt { pub use wsrt_sync as sync; }
//! # wsrt_sync::blocking::block_on(async {
//! use wsrt::sync::mpsc;
//!
//! let (orders, mut kitchen) = mpsc::channel(16);
//! let waiter = orders.clone();
//! std::thread::spawn(move || waiter.blocking_send("soup"));
//! assert_eq!(kitchen.recv().await, Some("soup"));
//! drop(orders);
//! assert_eq!(kitchen.recv().await, None);
//! # });
//! ```

mod bounded;
mod bounded_channel;
mod bounded_receiver;
mod channel;
mod closing;
pub mod error;
mod permit;
mod queue;
mod reserve;
mod room;
mod senders;
mod unbounded;
mod weak;

pub use self::bounded::{Sender, WeakSender, channel};
pub use self::bounded_receiver::Receiver;
pub use self::permit::{OwnedPermit, Permit, PermitIterator};
pub use self::unbounded::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel};
