//! What is decided: where a task goes, where a machine looks, who is woken, who sleeps, and how it all ends.
//!
//! Start with [`machine_loop`]: its `look` is the list of places where a machine looks for a task, in order. Each place has
//! a file of its own.

pub(crate) mod block_on;
pub(crate) mod blocking;
pub(crate) mod burn_meter;
pub(crate) mod clock;
pub(crate) mod computing;
#[cfg(feature = "console")]
pub(crate) mod console;
#[cfg(not(feature = "console"))]
#[path = "console_off.rs"]
pub(crate) mod console;
pub(crate) mod context;
pub(crate) mod drain;
pub(crate) mod handoff;
pub(crate) mod helping;
pub(crate) mod local_tasks;
pub(crate) mod machine_loop;
pub(crate) mod mood;
pub(crate) mod network;
pub(crate) mod placement;
pub(crate) mod refusals;
mod root;
pub(crate) mod scheduler;
pub(crate) mod seeing;
pub(crate) mod services;
pub(crate) mod shutdown;
pub(crate) mod spread;
pub(crate) mod stall;
pub(crate) mod steal;
pub(crate) mod sysmon;
pub(crate) mod thread_bound;
pub(crate) mod threads;
pub(crate) mod timekeeping;
#[cfg(feature = "tokio-compat")]
pub(crate) mod tokio_compat;
#[cfg(not(feature = "tokio-compat"))]
#[path = "tokio_compat_off.rs"]
pub(crate) mod tokio_compat;
pub(crate) mod wake;

pub(crate) use context::{Context, Entered};
pub(crate) use scheduler::{Config, Flavor, Hook, Scheduler};
