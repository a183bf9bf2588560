//! tokio's kind of buffer, handed to the OS.

use std::io;
use std::mem::MaybeUninit;
use std::task::{Poll, ready};
use tokio::io::ReadBuf;

/// Has `receive` fill the free part of `buf`, and counts the bytes it received as filled.
///
/// # Safety
///
/// `receive` writes initialised bytes only, and if it returns `count`, it has written the first
/// `count` bytes.
pub(super) unsafe fn fill<T>(
    buf: &mut ReadBuf<'_>,
    receive: impl FnOnce(&mut [MaybeUninit<u8>]) -> Poll<io::Result<(usize, T)>>,
) -> Poll<io::Result<(usize, T)>> {
    // SAFETY: `receive` writes initialised bytes only, so nothing initialised is made
    // uninitialised.
    let unfilled = unsafe { buf.unfilled_mut() };
    let (count, more) = ready!(receive(unfilled))?;
    // SAFETY: `receive` initialised the first `count` bytes of the unfilled part.
    unsafe { buf.assume_init(count) };
    buf.advance(count);
    Poll::Ready(Ok((count, more)))
}
