//! A reader that repeats a single byte.

use super::ready::poll_unit;
use crate::io::{AsyncRead, ReadBuf};
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A reader that repeats a single byte forever. Created by [`repeat`].
#[derive(Debug)]
pub struct Repeat {
    byte: u8,
}

/// Creates a reader that returns `byte` forever.
pub fn repeat(byte: u8) -> Repeat {
    Repeat { byte }
}

impl AsyncRead for Repeat {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        ready!(poll_unit(cx));
        let n = buf.remaining();
        // SAFETY: each byte is given a value.
        unsafe { buf.unfilled_mut() }.fill(MaybeUninit::new(self.byte));
        // SAFETY: they have values by now.
        unsafe { buf.assume_init(n) };
        buf.advance(n);
        Poll::Ready(Ok(()))
    }
}
