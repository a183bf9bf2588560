//! Panics of user code, caught: they end a task or a parallel call, never the machine that ran it.

use crate::util::report::report;
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

/// The payload of a panic.
pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// Runs user code. No value that it could leave half changed is used again: a future that panicked
/// is only dropped, a value whose destructor panicked is gone, and the caller of a closure, which
/// gets the panic, decides about the values that the closure has borrowed.
pub(crate) fn caught<R>(user_code: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(user_code))
}

/// Runs user code whose panic no caller is left to handle. The panic hook has reported it already.
pub(crate) fn quietly(user_code: impl FnOnce()) {
    if let Err(payload) = caught(user_code) {
        swallow(payload);
    }
}

/// Wakes a waker, which may run user code: a panic must not keep the wakers after it from being
/// woken.
pub(crate) fn wake_quietly(waker: Waker) {
    quietly(|| waker.wake());
}

/// Drops a value whose panic no caller is left to handle.
pub(crate) fn drop_quietly<T>(value: T) {
    quietly(|| drop(value));
}

/// Drops a payload, whose own destructor may panic in turn: that second payload is leaked, since
/// dropping payloads could continue without end.
pub(crate) fn swallow(payload: Payload) {
    if let Err(second) = caught(|| drop(payload)) {
        mem::forget(second);
    }
}

/// Ends the process if a machine unwinds: a panic of a task never gets here, and a machine that has
/// lost its place in the scheduler could not continue.
pub(crate) struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        report(format_args!(
            "a machine thread panicked outside any task (in a foreign waker, or by a fault in wsrt); aborting"
        ));
        std::process::abort();
    }
}
