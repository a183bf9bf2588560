//! The scheduler: processors and the machines that hold them, the queues, the loop, and how it all
//! sleeps, wakes and ends.
//!
//! Start with [`machine_loop`]: its `look` is the list of places where a machine looks for a task,
//! in order. Each place has a file of its own.

#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod queue;

#[cfg(not(loom))]
pub(crate) mod alive;
#[cfg(not(loom))]
pub(crate) mod block_on;
#[cfg(not(loom))]
pub(crate) mod charge;
#[cfg(not(loom))]
pub(crate) mod clock;
#[cfg(not(loom))]
pub(crate) mod context;
#[cfg(not(loom))]
pub(crate) mod drain;
#[cfg(not(loom))]
pub(crate) mod driver;
#[cfg(not(loom))]
pub(crate) mod drop_in;
#[cfg(not(loom))]
pub(crate) mod ending_signal;
#[cfg(not(loom))]
pub(crate) mod errand;
pub(crate) mod fairness;
pub(crate) mod found;
#[cfg(not(loom))]
pub(crate) mod hand_over;
pub(crate) mod helpers;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod idle;
#[cfg(not(loom))]
pub(crate) mod idle_work;
#[cfg(all(not(loom), unix, feature = "signal"))]
pub(crate) mod kept;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod limits;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod machine;
#[cfg(not(loom))]
pub(crate) mod machine_loop;
pub(crate) mod machine_status;
#[cfg(not(loom))]
pub(crate) mod network;
#[cfg(not(loom))]
pub(crate) mod overslept;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod parker;
#[cfg(not(loom))]
pub(crate) mod place;
pub(crate) mod poll_owner;
pub(crate) mod poll_watch;
#[cfg(not(loom))]
pub(crate) mod post;
pub(crate) mod presence;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod processor;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod processors;
#[cfg(not(loom))]
pub(crate) mod refusals;
#[cfg(not(loom))]
pub(crate) mod resize;
#[cfg(not(loom))]
pub(crate) mod root;
#[cfg(not(loom))]
mod root_future;
#[cfg(not(loom))]
pub(crate) mod root_thread;
#[cfg(not(loom))]
mod root_wakeup;
#[cfg(not(loom))]
pub(crate) mod runtime_id;
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
mod sleeper;
#[cfg(not(loom))]
mod spawned;
#[cfg(not(loom))]
pub(crate) mod spin_time;
#[cfg(not(loom))]
pub(crate) mod stalled;
#[cfg(not(loom))]
pub(crate) mod steal;
#[cfg(not(loom))]
pub(crate) mod threads;
pub(crate) mod tick_clock;
#[cfg(not(loom))]
pub(crate) mod time_slice;
#[cfg(not(loom))]
pub(crate) mod timekeeping;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod watcher_sleep;

#[cfg(not(loom))]
pub(crate) use self::context::{Context, Entered};
#[cfg(not(loom))]
pub(crate) use self::scheduler::{Config, RuntimeFlavor, Scheduler};

#[cfg(all(test, loom))]
pub(crate) mod loom_models;
