//! Tasks: spawning, joining, aborting and yielding.

pub use wsrt::task::{
    AbortHandle, Id, JoinError, JoinHandle, LocalEnterGuard, LocalKey, LocalSet, Unconstrained, block_in_place,
    consume_budget, id, spawn, spawn_blocking, spawn_local, try_id, unconstrained, yield_now,
};

#[cfg(tokio_unstable)]
mod builder;
#[cfg(tokio_unstable)]
pub use self::builder::Builder;

// Not a separate type without the flag, which a builder with tokio's results has to be.
#[cfg(tokio_unstable)]
pub mod join_set;
#[cfg(tokio_unstable)]
pub use self::join_set::JoinSet;
#[cfg(not(tokio_unstable))]
pub use wsrt::task::{JoinSet, join_set};

/// Cooperative yielding, based on a budget of operations for each poll.
pub mod coop {
    pub use wsrt::task::coop::*;
}

/// The named futures of this module.
pub mod futures {
    pub use wsrt::task::futures::TaskLocalFuture;
}
