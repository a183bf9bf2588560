//! The scheduler: processors and the machines that hold them, the queues, the loop, and how it all
//! sleeps, wakes and ends.
//!
//! Start with [`worker`]: `step` is the body of the loop, and its `look` lists the places where a
//! machine looks for a task, in order.

pub(crate) mod core;

#[cfg(not(loom))]
pub(crate) mod block_on;
#[cfg(not(loom))]
pub(crate) mod clock;
#[cfg(not(loom))]
pub(crate) mod context;
#[cfg(not(loom))]
pub(crate) mod drain;
#[cfg(not(loom))]
pub(crate) mod drop_in;
#[cfg(not(loom))]
pub(crate) mod ending;
#[cfg(not(loom))]
pub(crate) mod hand_over;
#[cfg(not(loom))]
pub(crate) mod idle_work;
#[cfg(all(not(loom), unix, feature = "signal"))]
pub(crate) mod kept;
#[cfg(not(loom))]
pub(crate) mod overslept;
#[cfg(not(loom))]
pub(crate) mod resize;
#[cfg(not(loom))]
pub(crate) mod runtime_id;
#[cfg(not(loom))]
pub(crate) mod schedule;
#[cfg(not(loom))]
#[allow(clippy::module_inception)]
pub(crate) mod scheduler;
#[cfg(not(loom))]
pub(crate) mod shutdown;
#[cfg(all(not(loom), feature = "sim"))]
pub(crate) mod simulation;
#[cfg(all(not(loom), not(feature = "sim")))]
#[path = "simulation_off.rs"]
pub(crate) mod simulation;
#[cfg(not(loom))]
pub(crate) mod spawn;
#[cfg(not(loom))]
pub(crate) mod spin_time;
#[cfg(not(loom))]
pub(crate) mod threads;
#[cfg(not(loom))]
pub(crate) mod time_slice;
#[cfg(not(loom))]
pub(crate) mod timers;
#[cfg(not(loom))]
mod wake;
#[cfg(not(loom))]
pub(crate) mod worker;

#[cfg(not(loom))]
pub(crate) use self::context::{Context, Entered};
#[cfg(not(loom))]
pub(crate) use self::scheduler::{Config, RuntimeFlavor, Scheduler};
