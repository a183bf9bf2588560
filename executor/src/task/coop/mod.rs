//! Cooperative scheduling: the budget of a poll, which makes tasks yield even if always ready.
//!
//! In a single poll, a task may find sockets, listeners, timers and join handles ready 128 times.
//! After that, these operations return pending and wake the task. The task then goes behind all
//! other tasks that wait on its processor, and continues with a full budget when its turn comes. No
//! event is lost, and programs need no code for this.
//!
//! Types of other crates, such as their streams or the channels and locks of `tokio::sync`, do not
//! use the budget. In a loop over such types, wrap the future with [`cooperative()`], or call
//! [`consume_budget`] once per iteration.
//!
//! Only tasks, and futures passed to wsrt's own `block_on`, have a budget.
//!
//! # Differences from tokio
//!
//! Names and semantics are tokio's, with two improvements. First, another executor's
//! `block_on` inside a task polls again instead of yielding. In tokio such a loop hangs once the
//! budget is spent; in wsrt, it gets a new budget after 1024 refused polls. Second, a poll that
//! computes for long without using its budget does not delay other tasks, as
//! [`block_in_place`](crate::task::block_in_place) explains.
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
