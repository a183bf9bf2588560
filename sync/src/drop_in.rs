//! Refusals and error messages of tokio that programs depend on, for this repository's drop-in
//! crate named `tokio`.
//!
//! The feature `drop-in` is hidden: only the drop-in crate enables it. Only this module checks for
//! the feature, for this crate and for all crates that depend on it.

use std::fmt;

use crate::runtime_hooks;

/// `true` if this build is part of the drop-in, so that the program runs on wsrt instead of tokio.
pub const IS_ON: bool = cfg!(feature = "drop-in");

/// The end of the line that says which runtime a program runs on.
pub const AS_TOKIO: &str = if IS_ON { " as tokio 1.x" } else { "" };

/// The start of the panic message for a call outside a runtime, after `wsrt: `.
pub const OUTSIDE: &str =
    if IS_ON { "there is no reactor running, must be called from the context of a Tokio 1.x runtime: " } else { "" };

/// The message for I/O on a runtime that was built without `enable_io`, after `wsrt: `.
pub const NO_IO: &str =
    "A Tokio 1.x context was found, but IO is disabled. Call `enable_io` on the runtime builder to enable IO.";

/// The message for timers on a runtime that was built without `enable_time`, after `wsrt: `.
pub const NO_TIME: &str = "A Tokio 1.x context was found, but timers are disabled. Call `enable_time` on the runtime \
                           builder to enable timers.";

/// The start of the message of an error or panic caused by a runtime that has shut down.
pub const SHUT_DOWN: &str = if IS_ON { "A Tokio 1.x context was found, but it is being shutdown. " } else { "" };

/// The message of the error returned if the runtime shuts down before it has run a file operation.
pub const CALL_LOST: &str = "background task failed";

/// The start of the panic message for local tasks spawned where that is not possible, after `wsrt:
/// `.
pub const NOWHERE_LOCAL: &str =
    if IS_ON { "`spawn_local` called from outside of a `task::LocalSet` or `runtime::LocalRuntime`: " } else { "" };

/// The start of the panic message for local tasks that belong to another thread, after `wsrt: `.
pub const LOCAL_ELSEWHERE: &str = if IS_ON {
    "Local tasks can only be spawned on a LocalRuntime from the thread the runtime was created on: "
} else {
    ""
};

/// The panic message of a `LocalSet` that ends because one of its tasks has panicked, after
/// `wsrt: `.
pub const SET_ENDED: &str = "a spawned task panicked and the LocalSet is configured to shutdown on unhandled panic";

/// The message of a timeout's error.
pub const ELAPSED: &str =
    if IS_ON { "deadline has elapsed" } else { "the timeout elapsed before the operation was done" };

/// The message of the error for a task-local value that is not set.
pub const NO_TASK_LOCAL: &str = if IS_ON {
    "task-local value not set"
} else {
    "the task-local value is not set here: it is only inside of the key's `scope`; tasks that are spawned there have it if \
     `task_local!` declares the key by `inherit static`"
};

/// Writes the name of an error variant that keeps its value private, in quotation marks as tokio's
/// `Debug` does.
pub(crate) fn debug_variant(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if IS_ON { fmt::Debug::fmt(name, f) } else { f.write_str(name) }
}

/// Refuses a call of `block_in_place`, as tokio does. Does nothing without the feature.
///
/// # Panics
///
/// With the feature enabled, panics if `holds_up_all` returns `true`: no other thread could run the
/// tasks that wait for the caller of `block_in_place`.
#[inline]
#[track_caller]
pub fn refuse_to_block_in_place(holds_up_all: impl FnOnce() -> bool) {
    assert!(
        !IS_ON || !holds_up_all(),
        "wsrt: can call blocking only when running on the multi-threaded runtime: `block_in_place` was called \
         inside of a `LocalSet` or a `LocalRuntime`, all of whose tasks would wait; call `spawn_blocking`"
    );
}

/// Refuses a call of `LocalSet::block_on`, as tokio does. Does nothing without the feature.
///
/// # Panics
///
/// With the feature enabled, panics if the current thread runs a task or a future in `block_on`:
/// the set would wait for a runtime that waits for the set.
#[inline]
#[track_caller]
pub fn refuse_to_drive_a_set() {
    assert!(
        !IS_ON || !runtime_hooks::is_async_here(),
        "wsrt: Cannot start a runtime from within a runtime: `LocalSet::block_on` was called inside of a task, or of the \
         future in `block_on`; await `LocalSet::run_until` instead"
    );
}

/// Refuses a call of a `blocking_...` method, as tokio does. Does nothing without the feature.
///
/// # Panics
///
/// With the feature enabled, panics if the current thread runs a task or a future in `block_on`.
#[inline]
#[track_caller]
pub(crate) fn refuse_to_block() {
    assert!(
        !IS_ON || !runtime_hooks::is_async_here(),
        "Cannot block the current thread from within a runtime: a task, or the future in `block_on`, runs on it, and tokio \
         lets neither call a `blocking_` function; call it inside `spawn_blocking` or `block_in_place`, or await instead"
    );
}
