//! Callers' buffers, handed to the OS whether they are initialised or not.

use bytes::BufMut;
use std::io;
use std::mem::MaybeUninit;

/// Lends an initialised buffer to a system call that takes any.
///
/// # Safety
///
/// The borrower writes initialised bytes only.
pub(super) unsafe fn as_uninit(buf: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let pointer: *mut [u8] = buf;
    // SAFETY: `MaybeUninit<u8>` is laid out as `u8` is, the borrow is handed on whole, and by this
    // function's contract no byte becomes uninitialised.
    unsafe { &mut *(pointer as *mut [MaybeUninit<u8>]) }
}

/// Lets `receive` fill the first free part of `buf`, and counts the bytes that it received
/// as filled.
///
/// # Safety
///
/// `receive` writes initialised bytes only, and if it returns `count`, it has written the first
/// `count` bytes.
pub(super) unsafe fn append<T>(
    buf: &mut impl BufMut,
    receive: impl FnOnce(&mut [MaybeUninit<u8>]) -> io::Result<(usize, T)>,
) -> io::Result<(usize, T)> {
    let room = buf.chunk_mut();
    // SAFETY: `receive` writes initialised bytes only, so nothing initialised is made
    // uninitialised.
    let (count, more) = receive(unsafe { room.as_uninit_slice_mut() })?;
    // SAFETY: `receive` initialised the first `count` bytes of the room, so there are as many.
    unsafe { buf.advance_mut(count) };
    Ok((count, more))
}
