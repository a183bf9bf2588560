//! The scheduler: processors and the machines that hold them, the queues, the loop, and how it all
//! sleeps, wakes and ends.
//!
//! Start with [`worker`]: `step` is the body of the loop, and its `look` lists the places where a
//! machine looks for a task, in order.

pub(crate) mod core;

#[cfg(not(wsrt_loom))]
pub(crate) mod block_on;
#[cfg(not(wsrt_loom))]
pub(crate) mod clock;
#[cfg(not(wsrt_loom))]
pub(crate) mod context;
#[cfg(not(wsrt_loom))]
pub(crate) mod drain;
#[cfg(not(wsrt_loom))]
pub(crate) mod drop_in;
#[cfg(not(wsrt_loom))]
pub(crate) mod ending;
#[cfg(not(wsrt_loom))]
pub(crate) mod hand_over;
#[cfg(not(wsrt_loom))]
pub(crate) mod idle_work;
#[cfg(all(not(wsrt_loom), unix, feature = "signal"))]
pub(crate) mod kept;
#[cfg(not(wsrt_loom))]
pub(crate) mod overslept;
#[cfg(not(wsrt_loom))]
pub(crate) mod resize;
#[cfg(not(wsrt_loom))]
pub(crate) mod runtime_id;
#[cfg(not(wsrt_loom))]
pub(crate) mod schedule;
#[cfg(not(wsrt_loom))]
#[allow(clippy::module_inception)]
pub(crate) mod scheduler;
#[cfg(not(wsrt_loom))]
pub(crate) mod shutdown;
#[cfg(all(not(wsrt_loom), feature = "sim"))]
pub(crate) mod simulation;
#[cfg(all(not(wsrt_loom), not(feature = "sim")))]
#[path = "simulation_off.rs"]
pub(crate) mod simulation;
#[cfg(not(wsrt_loom))]
pub(crate) mod spawn;
#[cfg(not(wsrt_loom))]
pub(crate) mod threads;
#[cfg(not(wsrt_loom))]
pub(crate) mod timers;
#[cfg(not(wsrt_loom))]
pub(crate) mod worker;

#[cfg(not(wsrt_loom))]
pub(crate) use self::context::{Context, Entered};
#[cfg(not(wsrt_loom))]
pub(crate) use self::scheduler::{Config, RuntimeFlavor, Scheduler};
