//! Tasks: spawning them, waiting for them, and what a task may do inside of itself.
//!
//! A task is a spawned future. It is polled by one machine at a time, on whichever processor comes by it, and goes on when
//! its [`JoinHandle`] is dropped.

pub use crate::cell::{AbortHandle, Id, JoinError, JoinHandle};
pub use crate::face::coop::{self, Unconstrained, consume_budget, unconstrained};
pub use crate::face::join_set::{self, JoinSet};
pub use crate::face::local_set::{LocalEnterGuard, LocalSet};
pub use crate::face::spawn::{block_in_place, id, spawn, spawn_blocking, spawn_local, try_id, yield_now};
pub use crate::face::task_builder::Builder;
pub use crate::face::task_local::{AccessError, LocalKey};

/// The futures that have names.
pub mod futures {
    pub use crate::face::task_local::TaskLocalFuture;
}
