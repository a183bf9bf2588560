//! Catches panics of user code, which end a task or a parallel call, but never the machine that
//! runs it.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

use crate::util::report::report;

/// The payload of a panic.
pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// Runs user code and catches its panic. No value that the code could leave half changed is used
/// again: a future that panicked is only dropped, a value whose destructor panicked is gone, and
/// the caller of a closure, which receives the panic, decides about the values that the closure has
/// borrowed.
pub(crate) fn caught<R>(user_code: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(user_code))
}

/// Runs user code and ignores its panic, which the panic hook has already reported.
pub(crate) fn quietly(user_code: impl FnOnce()) {
    if let Err(payload) = caught(user_code) {
        swallow(payload);
    }
}

/// Wakes a waker, which may run user code. A panic must not keep the remaining wakers from being
/// woken.
pub(crate) fn wake_quietly(waker: Waker) {
    quietly(|| waker.wake());
}

/// Drops a value and ignores a panic of its destructor.
pub(crate) fn drop_quietly<T>(value: T) {
    quietly(|| drop(value));
}

/// Drops a panic payload. If its destructor panics, the second payload is leaked, because dropping
/// payloads could otherwise never end.
pub(crate) fn swallow(payload: Payload) {
    if let Err(second) = caught(|| drop(payload)) {
        mem::forget(second);
    }
}

/// Ends the process with a report if it is dropped, which a frame does that unwinds. A frame that
/// has come to its end forgets the guard.
pub(crate) struct AbortOnUnwind(pub(crate) &'static str);

impl AbortOnUnwind {
    /// For a thread of the runtime: a panic of a task never gets to its loop, and a machine that
    /// has lost its place in the scheduler could not continue.
    pub(crate) const OF_A_THREAD: Self =
        Self("a machine thread panicked outside any task (in a foreign waker, or by a fault in wsrt); aborting");
}

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        report(format_args!("{}", self.0));
        std::process::abort();
    }
}

/// Calls a callback that was given to the builder method `name`. A panic ends the process, as that
/// method documents: no caller is left to receive the panic, and the thread has duties to fulfil.
pub(crate) fn call_hook(name: &str, hook: impl FnOnce()) {
    if caught(hook).is_err() {
        report(format_args!(
            "the function given to `Builder::{name}` panicked, so the process aborts: catch panics inside it"
        ));
        std::process::abort();
    }
}
