//! Tasks: spawning them, waiting for them, and operations inside a running task.
//!
//! A task is a future that the runtime polls independently of the code that spawned it. [`spawn()`]
//! creates a task and returns a [`JoinHandle`], which waits for the task's output. A task is polled
//! by at most one thread at a time, and keeps running if its `JoinHandle` is dropped.

mod abort;
#[cfg_attr(wsrt_loom, allow(dead_code))]
mod await_chain;
mod body;
mod cell;
mod error;
mod identity;
#[cfg_attr(wsrt_loom, allow(dead_code))]
mod inherited;
mod join;
mod lifecycle;
#[cfg_attr(wsrt_loom, allow(dead_code))]
mod meta;
mod queue;
mod reference;
#[cfg_attr(wsrt_loom, allow(dead_code))]
mod registry;
mod state;
mod stats;
mod waker;

#[cfg(not(wsrt_loom))]
pub(crate) mod blocking_group;
#[cfg(not(wsrt_loom))]
pub(crate) mod builder;
#[cfg(not(wsrt_loom))]
pub mod coop;
#[cfg(not(wsrt_loom))]
pub(crate) mod current;
#[cfg(not(wsrt_loom))]
pub(crate) mod join_map;
#[cfg(not(wsrt_loom))]
pub mod join_set;
#[cfg(not(wsrt_loom))]
pub(crate) mod large;
#[cfg(not(wsrt_loom))]
pub(crate) mod local_set;
#[cfg(not(wsrt_loom))]
pub(crate) mod scope;
#[cfg(not(wsrt_loom))]
pub(crate) mod spawn;
#[cfg(not(wsrt_loom))]
pub(crate) mod task_group;
#[cfg(not(wsrt_loom))]
pub(crate) mod task_local;

#[cfg(all(test, wsrt_loom))]
mod loom_models;
#[cfg(all(test, not(wsrt_loom)))]
mod tests;

pub use self::abort::AbortHandle;
pub use self::error::JoinError;
pub(crate) use self::error::panic_message;
pub use self::identity::Id;
pub use self::join::JoinHandle;
pub use self::meta::{NewTask, TaskMeta};

pub(crate) use self::await_chain::WaitingTask;
pub(crate) use self::cell::{Header, Schedule, allocate};
pub(crate) use self::identity::{IdBlock, Identity, LiveNames, SpawnOrigin, current_id, take_panic};
#[cfg(not(wsrt_loom))]
pub(crate) use self::inherited::{deadline_here, within_deadline};
pub(crate) use self::lifecycle::Runnable;
pub(crate) use self::meta::KeptMeta;
pub(crate) use self::queue::TaskQueue;
pub(crate) use self::reference::TaskRef;
pub(crate) use self::registry::{OwnedTasks, TaskSnapshot};
pub(crate) use self::state::TaskPhase;
pub(crate) use self::stats::StatsRead;
#[cfg(not(wsrt_loom))]
pub(crate) use self::task_local::ScopesAside;
pub(crate) use self::waker::{TaskAddress, is_last_waker, task_woken_by};

#[cfg(not(wsrt_loom))]
pub use self::join::AbortOnDropHandle;
#[cfg(not(wsrt_loom))]
pub use crate::task::blocking_group::{BlockingGroup, PoolBusy, try_spawn_blocking};
#[cfg(not(wsrt_loom))]
pub use crate::task::builder::Builder;
#[cfg(not(wsrt_loom))]
#[doc(inline)]
pub use crate::task::coop::{Unconstrained, consume_budget, unconstrained};
#[cfg(not(wsrt_loom))]
pub use crate::task::current::{CurrentTask, current, try_current};
#[cfg(not(wsrt_loom))]
pub use crate::task::join_map::JoinMap;
#[cfg(not(wsrt_loom))]
#[doc(inline)]
pub use crate::task::join_set::JoinSet;
#[cfg(not(wsrt_loom))]
pub use crate::task::local_set::{LocalEnterGuard, LocalSet};
#[cfg(not(wsrt_loom))]
pub use crate::task::scope::{ScopeBody, ScopeWith, ScopedJoinHandle, TaskScope, scope, scope_with};
#[cfg(not(wsrt_loom))]
pub use crate::task::spawn::{
    block_in_place, id, spawn, spawn_background, spawn_blocking, spawn_local, try_id, yield_now,
};
#[cfg(not(wsrt_loom))]
pub use crate::task::task_group::TaskGroup;
#[cfg(not(wsrt_loom))]
pub use crate::task::task_local::{AccessError, LocalKey};

/// Named future types of this module's functions.
#[cfg(not(wsrt_loom))]
pub mod futures {
    pub use crate::task::task_local::TaskLocalFuture;
}
