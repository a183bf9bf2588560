//! Retries system calls that a signal has interrupted.

use std::io::{self, ErrorKind};
use std::task::Poll;

/// Calls `operation` again as long as a signal interrupts it.
#[inline]
pub(super) fn uninterrupted<T>(mut operation: impl FnMut() -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
    loop {
        match operation() {
            Poll::Ready(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
            answer => return answer,
        }
    }
}
