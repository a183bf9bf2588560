//! Whether code that runs on this thread is asynchronous: a task, or the future in `block_on`. Its
//! blocking holds up others.

use super::{Context, Role};

impl Context {
    /// Whether a task, or the future in `block_on`, runs on this thread: not so in a blocking job,
    /// nor inside of `block_in_place`.
    pub(crate) fn is_async_here() -> bool {
        Self::with(|context| context.is_some_and(|context| context.is_async.get()))
    }

    /// The answer for a context that is about to be entered. A guard changes nothing about the code
    /// that holds it.
    pub(super) fn begins_async(role: &Role) -> bool {
        match role {
            Role::Machine(_) => true,
            Role::Blocking | Role::Watching => false,
            Role::External | Role::Ending | Role::Starting => Self::is_async_here(),
        }
    }

    /// Runs a blocking job, which does not unwind, though a task runs on this thread.
    pub(crate) fn run_as_job(job: impl FnOnce()) {
        let here = Self::current();
        let was_async = here.as_ref().map(|here| here.replace_async(false));
        job();
        if let (Some(here), Some(was_async)) = (here, was_async) {
            let _ = here.replace_async(was_async);
        }
    }

    /// Sets the answer, and returns that of before, for the caller to set again.
    pub(crate) fn replace_async(&self, is_async: bool) -> bool {
        self.is_async.replace(is_async)
    }
}
