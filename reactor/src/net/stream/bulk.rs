//! Reads and writes that take more than one system call.

use super::ends::{Receive, Transmit};
use crate::evented::Evented;
use crate::net::buffers;
use bytes::BufMut;
use std::io;
use std::mem::MaybeUninit;

/// A read with less room than this is not worth its system call.
const SMALLEST_READ: usize = 32;

/// Room made before each read to the end: enough for a small message in one piece, doubled by the
/// vector's own growth.
const READ_STEP: usize = 512;

pub(crate) async fn read_exact<S: Receive>(stream: &Evented<S>, buf: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match stream.receive(&mut buf[filled..]).await? {
            0 => {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the stream ended before the buffer was full",
                ));
            }
            count => filled += count,
        }
    }
    Ok(filled)
}

pub(crate) fn try_read_buf<S: Receive>(stream: &Evented<S>, buf: &mut impl BufMut) -> io::Result<usize> {
    let receive = |room: &mut [MaybeUninit<u8>]| stream.try_receive_into(room).map(|count| (count, ()));
    // SAFETY: `try_receive_into` initialises the bytes that it counts, and writes no others.
    unsafe { buffers::append(buf, receive) }.map(|(count, ())| count)
}

pub(crate) async fn read_to_end<S: Receive>(stream: &Evented<S>, buf: &mut Vec<u8>) -> io::Result<usize> {
    let before = buf.len();
    loop {
        if buf.spare_capacity_mut().len() < SMALLEST_READ {
            buf.reserve(READ_STEP);
        }
        let count = stream.receive_into(buf.spare_capacity_mut()).await?;
        if count == 0 {
            return Ok(buf.len() - before);
        }
        let length = buf.len() + count;
        // SAFETY: `receive_into` initialised the first `count` bytes of the spare capacity, which
        // begins at `len`.
        unsafe { buf.set_len(length) };
    }
}

pub(crate) async fn read_to_string<S: Receive>(stream: &Evented<S>, buf: &mut String) -> io::Result<usize> {
    let mut bytes = Vec::new();
    read_to_end(stream, &mut bytes).await?;
    let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    buf.push_str(&text);
    Ok(text.len())
}

pub(crate) async fn write_all<S: Transmit>(stream: &Evented<S>, mut buf: &[u8]) -> io::Result<()> {
    while !buf.is_empty() {
        match stream.send(buf).await? {
            0 => return Err(io::Error::new(io::ErrorKind::WriteZero, "the system takes no more bytes")),
            count => buf = &buf[count..],
        }
    }
    Ok(())
}
