//! System calls that a signal has interrupted, made again.

use std::io::{self, ErrorKind};
use std::task::Poll;

/// Repeats `operation` while a signal interrupts it.
#[inline]
pub(super) fn uninterrupted<T>(mut operation: impl FnMut() -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
    loop {
        match operation() {
            Poll::Ready(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
            answer => return answer,
        }
    }
}
