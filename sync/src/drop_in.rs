//! The refusals and words of tokio's that programs depend on, for the package `tokio` of this
//! repository.
//!
//! Feature `drop-in` is hidden: that package switches it on, and nothing else does. It is asked for
//! here and nowhere else, in this crate and in those above it.

use std::fmt;

use crate::lend;

/// True if this build is part of the drop-in, so that the program has wsrt instead of tokio.
pub const IS_ON: bool = cfg!(feature = "drop-in");

/// The start of a panic's message where there is no runtime, after `wsrt: `.
pub const OUTSIDE: &str =
    if IS_ON { "there is no reactor running, must be called from the context of a Tokio 1.x runtime: " } else { "" };

/// The message where a runtime was built without `enable_io`, behind `wsrt: `.
pub const NO_IO: &str =
    "A Tokio 1.x context was found, but IO is disabled. Call `enable_io` on the runtime builder to enable IO.";

/// The message where a runtime was built without `enable_time`, behind `wsrt: `.
pub const NO_TIME: &str = "A Tokio 1.x context was found, but timers are disabled. Call `enable_time` on the runtime \
                           builder to enable timers.";

/// The start of the message of an error or a panic after the end of the runtime.
pub const SHUT_DOWN: &str = if IS_ON { "A Tokio 1.x context was found, but it is being shutdown. " } else { "" };

/// The message of an error because the runtime has ended before it has made a call on files.
pub const CALL_LOST: &str = "background task failed";

/// The start of a panic's message where local tasks cannot be spawned, after `wsrt: `.
pub const NOWHERE_LOCAL: &str =
    if IS_ON { "`spawn_local` called from outside of a `task::LocalSet` or `runtime::LocalRuntime`: " } else { "" };

/// The start of a panic's message where local tasks belong to another thread, after `wsrt: `.
pub const LOCAL_ELSEWHERE: &str = if IS_ON {
    "Local tasks can only be spawned on a LocalRuntime from the thread the runtime was created on: "
} else {
    ""
};

/// The words of a timeout's error.
pub const ELAPSED: &str =
    if IS_ON { "deadline has elapsed" } else { "the timeout elapsed before the operation was done" };

/// The words of the error where a task-local value is not set.
pub const NO_TASK_LOCAL: &str = if IS_ON {
    "task-local value not set"
} else {
    "the task-local value is not set here: it is only inside of the key's `scope`, and not in tasks spawned there"
};

/// Writes the name of an error's variant that keeps its value to itself, by tokio's `Debug` with
/// quotation marks.
pub(crate) fn debug_variant(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if IS_ON { fmt::Debug::fmt(name, f) } else { f.write_str(name) }
}

/// # Panics
///
/// With the feature, if `holds_up_all` returns true: no other thread could run the tasks that would
/// wait for the one that blocks in place.
#[inline]
#[track_caller]
pub fn refuse_to_block_in_place(holds_up_all: impl FnOnce() -> bool) {
    assert!(
        !IS_ON || !holds_up_all(),
        "wsrt: can call blocking only when running on the multi-threaded runtime: `block_in_place` was called \
         inside of a `LocalSet` or a `LocalRuntime`, all of whose tasks would wait; call `spawn_blocking`"
    );
}

/// # Panics
///
/// With the feature, if the current thread runs a task or the future in `block_on`: it would have a
/// set wait for a runtime that waits for it.
#[inline]
#[track_caller]
pub fn refuse_to_drive_a_set() {
    assert!(
        !IS_ON || !lend::is_async_here(),
        "wsrt: Cannot start a runtime from within a runtime: `LocalSet::block_on` was called inside of a task, or of the \
         future in `block_on`; await `LocalSet::run_until` instead"
    );
}

/// # Panics
///
/// With the feature, if the current thread runs a task or the future in `block_on`.
#[inline]
#[track_caller]
pub(crate) fn refuse_to_block() {
    assert!(
        !IS_ON || !lend::is_async_here(),
        "Cannot block the current thread from within a runtime: a task, or the future in `block_on`, runs on it, and tokio \
         lets neither call a `blocking_` function; call it inside `spawn_blocking` or `block_in_place`, or await instead"
    );
}
