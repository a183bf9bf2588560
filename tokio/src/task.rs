//! Tasks.

pub use wsrt::task::{
    AbortHandle, Id, JoinError, JoinHandle, JoinSet, LocalEnterGuard, LocalKey, LocalSet, Unconstrained,
    block_in_place, consume_budget, id, join_set, spawn, spawn_blocking, spawn_local, try_id, unconstrained, yield_now,
};

#[cfg(tokio_unstable)]
mod builder;
#[cfg(tokio_unstable)]
pub use self::builder::Builder;

/// Yielding by a count of operations.
pub mod coop {
    pub use wsrt::task::coop::*;
}

/// The futures that have names.
pub mod futures {
    pub use wsrt::task::futures::TaskLocalFuture;
}
