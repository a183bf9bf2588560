//! The words of a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls `body`, which has to panic, and returns the message.
///
/// # Panics
///
/// Panics if it does not.
#[track_caller]
pub fn panic_message<T>(body: impl FnOnce() -> T) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(body)) else {
        panic!("a panic was expected, and there was none");
    };
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => match payload.downcast::<&'static str>() {
            Ok(message) => (*message).to_owned(),
            Err(_) => panic!("a panic with a payload that is no text"),
        },
    }
}
