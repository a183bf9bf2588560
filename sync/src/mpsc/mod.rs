//! Channels that carry values from any number of senders to one receiver.
//!
//! [`channel()`] creates a bounded channel: [`Sender::send`] waits while the channel is full, which
//! slows fast senders down to the receiver's pace. [`unbounded_channel`] creates a channel whose
//! senders never wait, and whose queue grows as long as the receiver lags behind. Each value is
//! received exactly once, and the values of one sender arrive in the order in which they were sent.
//!
//! Once all senders have been dropped, the receiver gets the remaining values and then `None`. Once
//! the receiver has been dropped or has closed the channel, sending fails and hands the value back.
//!
//! # Not guaranteed
//!
//! Values that different senders send at the same time may arrive in any order. Memory that a long
//! queue used is released as the queue drains, except for a small reserve that is kept for the next
//! values.
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
pub(crate) mod bounded_channel;
mod bounded_receiver;
pub(crate) mod bounded_state;
mod channel;
mod close_signal;
pub mod error;
mod permit;
mod queue;
pub(crate) mod reserve;
mod senders;
mod unbounded;
pub(crate) mod weak;

pub use self::bounded::{Sender, WeakSender, channel};
pub use self::bounded_receiver::Receiver;
pub use self::permit::{OwnedPermit, Permit, PermitIterator};
pub use self::unbounded::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel};
