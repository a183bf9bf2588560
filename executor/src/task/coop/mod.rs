//! The budget of a task's poll: how a loop over something that is always ready lets others have
//! their turn.
//!
//! A poll may find sockets, listeners, timers and join handles ready 128 times. After that they are
//! pending, and have woken the task: it goes behind everything that waits on its processor, and
//! continues from there with a full budget. Nothing is lost by that, and nothing needs to be
//! written for it.
//!
//! Types of other crates know nothing of the budget: streams of other crates, the channels and
//! locks of `tokio::sync`. Loops over those are limited with [`cooperative()`], or with
//! [`consume_budget`] once in each round.
//!
//! Only tasks, and the futures given to wsrt's own `block_on`, have a budget. Elsewhere nothing is
//! limited.
//!
//! # Differences from tokio
//!
//! The names and meanings are tokio's. Two things are better: another executor's `block_on` inside
//! a task, which polls again instead of yielding, gets a full budget after 1024 denials, where it
//! would hang in tokio. And a poll that computes too long without looking at its budget does not
//! hold others up: see [`block_in_place`](crate::task::block_in_place).
//!
//! # Examples
//!
//! ```
//! use wsrt::task::coop;
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! # struct Receiver(u32);
//! # impl Receiver { async fn recv(&mut self) -> Option<u32> { self.0 = self.0.checked_sub(1)?; Some(self.0) } }
//! # let mut receiver = Receiver(1000);
//! # let mut sum = 0;
//! // However fast the other side of this channel sends, the task does not keep its processor.
//! while let Some(message) = coop::cooperative(receiver.recv()).await {
//!     sum += message;
//! }
//! # assert_eq!(sum, 499_500);
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

mod cooperative;
mod proceed;
mod unconstrained;

pub use cooperative::{Coop, cooperative};
pub use proceed::{RestoreOnPending, consume_budget, has_budget_remaining, poll_proceed};
pub use unconstrained::{Unconstrained, unconstrained};
