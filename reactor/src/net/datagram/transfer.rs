//! Receiving into every kind of buffer, in every manner of waiting.

use super::Datagrams;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::buffers;
use bytes::BufMut;
use std::io;
use std::mem::MaybeUninit;
use std::task::{Context, Poll};

/// One of the receiving calls of [`Datagrams`]; they keep that trait's promise about the memory.
pub(super) type ReceiveCall<S, T> = fn(&S, &mut [MaybeUninit<u8>]) -> io::Result<(usize, T)>;

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Datagrams> Evented<S> {
    pub(crate) async fn receive_datagram<T>(&self, call: ReceiveCall<S, T>, buf: &mut [u8]) -> io::Result<(usize, T)> {
        // SAFETY: the calls that receive write initialised bytes only.
        let buf = unsafe { buffers::as_uninit(buf) };
        self.io(Interest::READABLE, |socket| call(socket, buf)).await
    }

    pub(crate) fn try_receive_datagram<T>(&self, call: ReceiveCall<S, T>, buf: &mut [u8]) -> io::Result<(usize, T)> {
        // SAFETY: the calls that receive write initialised bytes only.
        let buf = unsafe { buffers::as_uninit(buf) };
        self.try_io(Interest::READABLE, |socket| call(socket, buf))
    }

    pub(crate) async fn receive_datagram_into<T>(
        &self,
        call: ReceiveCall<S, T>,
        buf: &mut impl BufMut,
    ) -> io::Result<(usize, T)> {
        // SAFETY: the calls that receive initialise the bytes that they count, and write no others.
        self.io(Interest::READABLE, |socket| unsafe { buffers::append(buf, |room| call(socket, room)) }).await
    }

    pub(crate) fn try_receive_datagram_into<T>(
        &self,
        call: ReceiveCall<S, T>,
        buf: &mut impl BufMut,
    ) -> io::Result<(usize, T)> {
        // SAFETY: the calls that receive initialise the bytes that they count, and write no others.
        self.try_io(Interest::READABLE, |socket| unsafe { buffers::append(buf, |room| call(socket, room)) })
    }

    /// Polls a receive on behalf of one of any number of tasks.
    pub(crate) fn poll_receive_datagram<T>(
        &self,
        call: ReceiveCall<S, T>,
        cx: &mut Context<'_>,
        buf: &mut impl BufMut,
    ) -> Poll<io::Result<(usize, T)>> {
        self.poll_io(Interest::READABLE, cx, |socket| {
            // SAFETY: the calls that receive initialise the bytes that they count, and write no
            // others.
            unsafe { buffers::append(buf, |room| call(socket, room)) }
        })
    }
}
