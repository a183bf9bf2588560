//! Tasks: spawning, joining, aborting and yielding.

pub use wsrt::task::{
    AbortHandle, Id, JoinError, JoinHandle, JoinSet, LocalEnterGuard, LocalKey, LocalSet, Unconstrained,
    block_in_place, consume_budget, id, join_set, spawn, spawn_blocking, spawn_local, try_id, unconstrained, yield_now,
};

#[cfg(tokio_unstable)]
mod builder;
#[cfg(tokio_unstable)]
pub use self::builder::Builder;

/// Cooperative yielding, based on a budget of operations for each poll.
pub mod coop {
    pub use wsrt::task::coop::*;
}

/// The named futures of this module.
pub mod futures {
    pub use wsrt::task::futures::TaskLocalFuture;
}
