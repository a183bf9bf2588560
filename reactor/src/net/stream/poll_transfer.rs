//! Polls that move bytes, on behalf of the one reader and the one writer: every family of I/O
//! traits is implemented by them.

use super::ends::{Receive, Transmit};
use super::transfer::DrainThreshold;
use crate::evented::{Evented, Sharing};
use crate::interest::Interest;
use crate::net::buffers;
use bytes::BufMut;
#[cfg(feature = "futures-io")]
use std::io::IoSliceMut;
use std::io::{self, IoSlice};
use std::task::{Context, Poll};

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Receive> Evented<S> {
    /// Polls a read on behalf of the only reader, into the free room that `buf` has in one piece.
    pub(crate) fn poll_receive_buf(&self, cx: &mut Context<'_>, buf: &mut impl BufMut) -> Poll<io::Result<usize>> {
        let threshold = DrainThreshold::of_read::<S>(buf.chunk_mut().len());
        self.poll_transfer(Interest::READABLE, cx, threshold, |source| {
            let receive = |room: &mut [_]| source.receive_uninit(room).map(|count| (count, ()));
            // SAFETY: `receive_uninit` initialises the bytes that it counts, and writes no others.
            unsafe { buffers::append(buf, receive) }.map(|(count, ())| count)
        })
    }

    /// Polls a read on behalf of the only reader, into memory that need not be initialised. The
    /// bytes counted are.
    #[cfg(any(unix, feature = "hyper"))]
    pub(crate) fn poll_receive(
        &self,
        cx: &mut Context<'_>,
        buf: &mut [std::mem::MaybeUninit<u8>],
    ) -> Poll<io::Result<usize>> {
        let threshold = DrainThreshold::of_read::<S>(buf.len());
        self.poll_transfer(Interest::READABLE, cx, threshold, |source| source.receive_uninit(buf))
    }

    #[cfg(feature = "futures-io")]
    pub(crate) fn poll_receive_into_slice(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let threshold = DrainThreshold::of_read::<S>(buf.len());
        self.poll_transfer(Interest::READABLE, cx, threshold, |source| source.receive(buf))
    }

    #[cfg(feature = "futures-io")]
    pub(crate) fn poll_receive_vectored(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
    ) -> Poll<io::Result<usize>> {
        let threshold = DrainThreshold::of_vectored_read::<S>(bufs);
        self.poll_transfer(Interest::READABLE, cx, threshold, |source| source.receive_vectored(bufs))
    }
}

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Transmit> Evented<S> {
    pub(crate) fn poll_send(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let threshold = DrainThreshold::of_write::<S>(buf.len());
        self.poll_transfer(Interest::WRITABLE, cx, threshold, |source| source.transmit(buf))
    }

    pub(crate) fn poll_send_vectored(&self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let threshold = DrainThreshold::of_vectored_write::<S>(bufs);
        self.poll_transfer(Interest::WRITABLE, cx, threshold, |source| source.transmit_vectored(bufs))
    }
}

impl<S: mio::event::Source> Evented<S> {
    fn poll_transfer(
        &self,
        interest: Interest,
        cx: &mut Context<'_>,
        threshold: DrainThreshold,
        call: impl FnMut(&S) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        self.poll_drain(Sharing::Exclusive, interest, cx, call, |&moved| threshold.is_drained_by(moved))
    }
}
