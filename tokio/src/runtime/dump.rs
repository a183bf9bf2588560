//! Task dumps, which tokio offers under its flag `tokio_unstable`.

pub use wsrt::runtime::{Dump, TaskDump as Task, TaskDump as Trace};

/// The tasks in a dump.
pub type Tasks = [Task];
