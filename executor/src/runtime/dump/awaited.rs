//! tokio's dump, which is a future, with a trace for each task.

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
    /// Returns the trace: its `Display` shows where the task was spawned, and what it waits for.
    #[must_use]
    pub fn trace(&self) -> &Self {
        self
    }
}
