//! tokio's interface to dumps: a future, and a trace for each task.

use std::future::{IntoFuture, Ready, ready};

use super::{Dump, TaskDump};

/// The dump itself, at once.
impl IntoFuture for Dump {
    type Output = Self;
    type IntoFuture = Ready<Self>;

    fn into_future(self) -> Self::IntoFuture {
        ready(self)
    }
}

impl TaskDump {
    /// Returns the task's trace. Its `Display` output shows the location that spawned the task, and
    /// the sources that the task waits for.
    #[must_use]
    pub fn trace(&self) -> &Self {
        self
    }
}
