//! Dumps of tasks, which tokio has with its flag `tokio_unstable`.

pub use wsrt::runtime::{Dump, TaskDump as Task, TaskDump as Trace};

/// The tasks of a dump.
pub type Tasks = [Task];
