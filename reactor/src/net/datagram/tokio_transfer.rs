//! Receiving into tokio's kind of buffer.

use super::Datagrams;
use super::transfer::ReceiveCall;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::tokio_buffer;
use std::io;
use std::mem::MaybeUninit;
use std::task::{Context, Poll};
use tokio::io::ReadBuf;

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Datagrams> Evented<S> {
    pub(crate) fn poll_receive_datagram<T>(
        &self,
        call: ReceiveCall<S, T>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<(usize, T)>> {
        let receive =
            |unfilled: &mut [MaybeUninit<u8>]| self.poll_io(Interest::READABLE, cx, |socket| call(socket, unfilled));
        // SAFETY: the calls that receive initialise the bytes that they count, and write no others.
        unsafe { tokio_buffer::fill(buf, receive) }
    }
}
