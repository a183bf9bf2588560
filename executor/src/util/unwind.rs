//! Panics of user code, held back: they end a task or a parallel call, never the machine that ran
//! it.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// Runs user code. Nothing that it could leave half changed is looked at again: a future that
/// panicked is only dropped, a value whose destructor panicked is gone, and what a closure has
/// borrowed is for its caller to judge, who hears of it.
pub(crate) fn caught<R>(user_code: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(user_code))
}

/// Runs user code whose panic nobody is left to hear of. The panic hook has reported it already.
pub(crate) fn quietly(user_code: impl FnOnce()) {
    if let Err(payload) = caught(user_code) {
        swallow(payload);
    }
}

/// Wakes a waker, which may be anybody's code: others wait behind it.
pub(crate) fn wake_quietly(waker: Waker) {
    quietly(|| waker.wake());
}

/// Drops a value that nobody is left to hear of.
pub(crate) fn drop_quietly<T>(value: T) {
    quietly(|| drop(value));
}

/// Drops a payload, whose own destructor may panic in turn: what that throws is leaked, since it
/// could go on for ever.
pub(crate) fn swallow(payload: Payload) {
    if let Err(second) = caught(|| drop(payload)) {
        mem::forget(second);
    }
}
