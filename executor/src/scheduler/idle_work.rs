//! Idle work: a machine that has found no task may do it before it sleeps.

use std::any::Any;

/// Work for machines without a task. The runtime gives it to the scheduler, which knows nothing
/// else of it; in this crate it is helping with parallel calls (`fork_join`).
pub(crate) trait IdleWork: Send + Sync {
    /// Returns whether there is any work. A thread that has work to offer wakes a machine on the
    /// idle list, and relies on its coming: so a machine asks this after it has come on the list,
    /// and once more when it is off the list and before it ends.
    fn is_wanted(&self) -> bool;

    /// Returns the function that does the work, a `RunIdleWork` of the room `worker`. As `Any`:
    /// this file, which the scheduler imports, knows no machine.
    fn runner(&self) -> &dyn Any;

    /// Returns the value itself, for the room that has defined it.
    fn as_any(&self) -> &dyn Any;
}
