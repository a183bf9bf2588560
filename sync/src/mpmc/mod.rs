//! Channels that carry values from any number of senders to any number of receivers.
//!
//! Each value is received by exactly one receiver, so a channel hands out work to a group of
//! tasks. [`channel()`] creates a bounded channel: [`Sender::send`] waits while the channel is
//! full, which slows fast senders down to the receivers' pace. [`unbounded_channel`] creates a
//! channel with so much room that its senders never wait. Senders and receivers can both be cloned.
//!
//! Once all senders have been dropped, or one side has closed the channel, the receivers get the
//! remaining values and then `None`. Once all receivers have been dropped or the channel has been
//! closed, sending fails and hands the value back.
//!
//! To send each value to *all* receivers, use [`broadcast`](crate::broadcast). With a single
//! receiver, use [`mpsc`](crate::mpsc).
//!
//! # Not guaranteed
//!
//! Values leave the channel in the order in which they came, but tasks that receive them may run in
//! a different order. A value goes to the first receiver that looks: a receiver that is running may
//! take it before a receiver that has waited for longer.
//!
//! # Examples
//!
//! ```
//! # mod wsrt { pub use wsrt_sync as sync; }
//! # wsrt_sync::blocking::block_on(async {
//! use wsrt::sync::mpmc;
//!
//! let (jobs, worker) = mpmc::channel::<u64>(16);
//! let workers: Vec<_> = (0..2).map(|_| worker.clone()).collect();
//! let threads = workers.into_iter().map(|worker| {
//!     std::thread::spawn(move || std::iter::from_fn(|| worker.blocking_recv()).sum::<u64>())
//! });
//! let threads: Vec<_> = threads.collect();
//! for job in 1..=100 {
//!     jobs.send(job).await.expect("the workers are there");
//! }
//! drop(jobs);
//! assert_eq!(threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>(), 5050);
//! # });
//! ```

mod line_place;
mod receiver;
mod receiver_line;
mod sender;

/// The errors of mpmc channels: the same types as for mpsc channels.
pub mod error {
    pub use crate::mpsc::error::{SendError, TryRecvError, TrySendError};
}

pub use self::receiver::Receiver;
pub use self::sender::{Sender, WeakSender, channel, unbounded_channel};

use self::receiver_line::ReceiverLine;
use crate::mpsc::bounded_channel::BoundedChannel;

/// The shared state of a channel: a bounded mpsc channel with a line of receivers.
type MpmcChannel<T> = BoundedChannel<T, ReceiverLine>;
