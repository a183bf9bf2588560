//! tokio's interface to dumps: a future, and a trace for each task. wsrt walks no stacks: a trace
//! tells what the task waits for, and has no frames.

use std::fmt;
use std::future::{IntoFuture, Ready, ready};
use std::panic::Location;

use wsrt_trace::drop_in::{Backtrace, Root};

use super::{Dump, TaskDump};
use crate::task::{Id, try_id};

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
    pub fn trace(&self) -> &Trace {
        self.1.get_or_init(|| Box::new(Trace(Traced::Task(Box::new(self.clone())))))
    }
}

/// Tells about a task. Shown by its `Display` output.
#[derive(Debug, Clone)]
pub struct Trace(Traced);

#[derive(Debug, Clone)]
enum Traced {
    /// The task as a dump has seen it.
    Task(Box<TaskDump>),
    /// The task, if it was one, that called [`Trace::capture`] there.
    Caller(Option<Id>, &'static Location<'static>),
}

impl Trace {
    /// Calls `f`, and returns its result with a trace, which shows the current task and the
    /// location of this call. It does not show what `f` waits for.
    #[track_caller]
    pub fn capture<F, R>(f: F) -> (R, Self)
    where
        F: FnOnce() -> R,
    {
        let here = Location::caller();
        (f(), Self(Traced::Caller(try_id(), here)))
    }

    /// Wraps a future. The wrapper only polls the future.
    pub fn root<F>(f: F) -> Root<F>
    where
        F: Future,
    {
        Root::new(f)
    }

    /// Returns an empty list: wsrt walks no stacks.
    #[must_use]
    pub fn resolve_backtraces(&self) -> Vec<Backtrace> {
        Vec::new()
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Traced::Task(task) => task.fmt(f),
            Traced::Caller(Some(id), at) => write!(f, "task {id}, traced at {at}"),
            Traced::Caller(None, at) => write!(f, "no task, traced at {at}"),
        }
    }
}
