//! The face: what users of the crate call.

pub mod coop;
pub mod fs;
pub mod io;
pub mod join_set;
pub mod parallel;
pub mod runtime;
pub mod sync;
pub mod task;
pub mod time;

#[cfg(feature = "hyper")]
pub mod hyper;
#[cfg(all(unix, feature = "process"))]
pub mod process;
#[cfg(feature = "signal")]
pub mod signal;

mod environment;
mod local_set;
mod offload;
mod periodic;
mod schedtrace;
pub(crate) mod spawn;
mod task_builder;
mod task_local;
