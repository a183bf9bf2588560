//! Task dumps, which tokio offers under its flag `tokio_unstable`. A trace shows what its task
//! waits for; there are no backtraces.

use std::ffi::c_void;

pub use wsrt::runtime::__trace::{Backtrace, BacktraceFrame, BacktraceSymbol, Root};
pub use wsrt::runtime::{__Trace as Trace, Dump, TaskDump as Task};

/// The tasks in a dump.
pub type Tasks = [Task];

/// What [`trace_with`] would pass to its second function.
#[derive(Debug)]
#[non_exhaustive]
pub struct TraceMeta {
    /// The address at which a walk over the stack would end.
    pub root_addr: Option<*const c_void>,
    /// The address at which a walk over the stack would begin.
    pub trace_leaf_addr: *const c_void,
}

/// Calls `f` and returns its result. The second function is never called: wsrt walks no stacks.
pub fn trace_with<FN, FT, R>(f: FN, _: FT) -> R
where
    FN: FnOnce() -> R,
    FT: FnMut(&TraceMeta),
{
    f()
}
