//! Channels, locks and other synchronization: tokio's own, from the parts of it that need no
//! runtime.
//!
//! They work on any runtime, and between runtimes and plain threads. Two things differ on wsrt:
//!
//! * **Fairness.** On tokio's runtime each operation counts against the task's budget, and a task
//!   that receives without end is made to yield. That budget is tokio's: on wsrt these operations
//!   never make a task yield. A task that never waits for anything else lets other tasks run by
//!   [`task::consume_budget`](crate::task::consume_budget) in each round.
//! * **Time.** `mpsc::Sender::send_timeout` needs tokio's timers and is missing: put a
//!   [`timeout`](crate::time::timeout) around [`reserve`](mpsc::Sender::reserve).
//!
//! The functions named `blocking_…` are for plain threads, and for
//! [`spawn_blocking`](crate::task::spawn_blocking). In a task they do not panic as on tokio, but
//! block its processor.
//!
//! # Examples
//!
//! ```
//! use wsrt::sync::mpsc;
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! let (sender, mut receiver) = mpsc::channel(8);
//! wsrt::spawn(async move {
//!     for number in 1..=3 {
//!         sender.send(number).await.expect("the receiver is there");
//!     }
//! });
//! let mut sum = 0;
//! while let Some(number) = receiver.recv().await {
//!     sum += number;
//! }
//! assert_eq!(sum, 6);
//! # });
//! # std::io::Result::Ok(())
//! ```

pub use tokio::sync::*;
