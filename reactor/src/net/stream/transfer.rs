//! Moving bytes: the system call of each kind of read and write, and the evidence of a short one.
//!
//! On a socket that moved fewer bytes than it was asked to, the direction is drained as a rule: the
//! receive buffer is empty, or the send buffer full. Where the poll reports every later change as a
//! new event (epoll, kqueue), readiness can be cleared on that evidence, and the system call that
//! would have answered `WouldBlock` is saved. Not evidence are:
//!
//! * zero bytes, the end of the stream: it stays readable forever;
//! * a request beyond the limits of one system call, in bytes or in slices: it is cut short
//!   whatever the socket holds;
//! * a peek, which takes nothing out;
//! * a short transfer of a kind of descriptor that keeps the borders between writes (`ends.rs` says
//!   which).

use super::ends::{Peek, Receive, Transmit};
use crate::drop_in::SHORT_TRY_DRAINS;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::buffers;
use bytes::BufMut;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::task::{Context, Poll};

/// True if the poll of this system reports data that arrives after a short transfer. Windows'
/// emulation is re-armed by `WouldBlock` alone.
const SHORT_MEANS_DRAINED: bool = cfg!(any(
    target_os = "linux",
    target_os = "android",
    target_os = "macos",
    target_os = "ios",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "dragonfly",
));

/// The most bytes that every one of these systems moves in one call: Linux stops at 2 GiB less a
/// page, others at 2 GiB less one.
const MOST_BYTES: usize = 0x7fff_0000;

/// The most slices that every one of these systems takes in one call (`IOV_MAX`).
const MOST_SLICES: usize = 1024;

/// How many bytes a transfer may move at most, if falling short of it would prove something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrainThreshold(Option<usize>);

impl DrainThreshold {
    const PROVES_NOTHING: DrainThreshold = DrainThreshold(None);

    fn bytes(count: usize) -> Self {
        Self((SHORT_MEANS_DRAINED && count <= MOST_BYTES).then_some(count))
    }

    fn slices(lengths: impl ExactSizeIterator<Item = usize>) -> Self {
        if lengths.len() > MOST_SLICES {
            return Self::PROVES_NOTHING;
        }
        Self::bytes(lengths.fold(0, usize::saturating_add))
    }

    /// On a descriptor that keeps the borders between writes, a short transfer proves nothing.
    fn if_short_drains(self, drains: bool) -> Self {
        if drains { self } else { Self::PROVES_NOTHING }
    }

    pub(super) fn of_read<S: Receive>(count: usize) -> Self {
        Self::bytes(count).if_short_drains(S::SHORT_READ_DRAINS)
    }

    pub(super) fn of_vectored_read<S: Receive>(bufs: &[IoSliceMut<'_>]) -> Self {
        Self::slices(bufs.iter().map(|buf| buf.len())).if_short_drains(S::SHORT_READ_DRAINS)
    }

    pub(super) fn of_write<S: Transmit>(count: usize) -> Self {
        Self::bytes(count).if_short_drains(S::SHORT_WRITE_DRAINS)
    }

    pub(super) fn of_vectored_write<S: Transmit>(bufs: &[IoSlice<'_>]) -> Self {
        Self::slices(bufs.iter().map(|buf| buf.len())).if_short_drains(S::SHORT_WRITE_DRAINS)
    }

    pub(super) fn is_drained_by(self, moved: usize) -> bool {
        self.0.is_some_and(|threshold| 0 < moved && moved < threshold)
    }
}

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Receive> Evented<S> {
    /// Reads into memory that need not be initialised. The bytes counted are.
    pub(crate) async fn receive_into(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_read::<S>(buf.len());
        self.transfer(Interest::READABLE, threshold, |source| source.receive_uninit(buf)).await
    }

    pub(crate) async fn receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_read::<S>(buf.len());
        self.transfer(Interest::READABLE, threshold, |source| source.receive(buf)).await
    }

    pub(crate) async fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_vectored_read::<S>(bufs);
        self.transfer(Interest::READABLE, threshold, |source| source.receive_vectored(bufs)).await
    }

    pub(crate) fn try_receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_read::<S>(buf.len());
        self.try_transfer(Interest::READABLE, threshold, |source| source.receive(buf))
    }

    pub(crate) fn try_receive_into(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_read::<S>(buf.len());
        self.try_transfer(Interest::READABLE, threshold, |source| source.receive_uninit(buf))
    }

    pub(crate) fn try_receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_vectored_read::<S>(bufs);
        self.try_transfer(Interest::READABLE, threshold, |source| source.receive_vectored(bufs))
    }
}

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Peek> Evented<S> {
    pub(crate) async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        // SAFETY: a peek writes initialised bytes only.
        let buf = unsafe { buffers::as_uninit(buf) };
        self.io(Interest::READABLE, |source| source.peek_uninit(buf)).await
    }

    /// Polls a peek on behalf of one of any number of tasks.
    pub(crate) fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut impl BufMut) -> Poll<io::Result<usize>> {
        self.poll_io(Interest::READABLE, cx, |source| {
            // SAFETY: a peek initialises the bytes that it counts, and writes no others.
            unsafe { buffers::append(buf, |room| source.peek_uninit(room).map(|count| (count, ()))) }
        })
        .map_ok(|(count, ())| count)
    }
}

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Transmit> Evented<S> {
    pub(crate) async fn send(&self, buf: &[u8]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_write::<S>(buf.len());
        self.transfer(Interest::WRITABLE, threshold, |source| source.transmit(buf)).await
    }

    pub(crate) async fn send_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_vectored_write::<S>(bufs);
        self.transfer(Interest::WRITABLE, threshold, |source| source.transmit_vectored(bufs)).await
    }

    pub(crate) fn try_send(&self, buf: &[u8]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_write::<S>(buf.len()).if_short_drains(SHORT_TRY_DRAINS);
        self.try_transfer(Interest::WRITABLE, threshold, |source| source.transmit(buf))
    }

    pub(crate) fn try_send_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        let threshold = DrainThreshold::of_vectored_write::<S>(bufs).if_short_drains(SHORT_TRY_DRAINS);
        self.try_transfer(Interest::WRITABLE, threshold, |source| source.transmit_vectored(bufs))
    }
}

impl<S: mio::event::Source> Evented<S> {
    async fn transfer(
        &self,
        interest: Interest,
        threshold: DrainThreshold,
        call: impl FnMut(&S) -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.drain(interest, call, |&moved| threshold.is_drained_by(moved)).await
    }

    fn try_transfer(
        &self,
        interest: Interest,
        threshold: DrainThreshold,
        call: impl FnOnce(&S) -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.try_drain(interest, call, |&moved| threshold.is_drained_by(moved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_nonempty_transfer_proves_a_drained_socket() {
        assert_eq!(DrainThreshold::bytes(100).is_drained_by(99), SHORT_MEANS_DRAINED);
        assert!(!DrainThreshold::bytes(100).is_drained_by(100));
        assert!(!DrainThreshold::bytes(100).is_drained_by(0), "the end of the stream");
        assert!(!DrainThreshold::bytes(0).is_drained_by(0), "nothing was threshold for");
    }

    #[test]
    fn a_request_that_the_system_cuts_short_proves_nothing() {
        assert_eq!(DrainThreshold::bytes(MOST_BYTES + 1), DrainThreshold::PROVES_NOTHING);
        assert_eq!(DrainThreshold::slices([1; MOST_SLICES + 1].into_iter()), DrainThreshold::PROVES_NOTHING);
        assert_eq!(DrainThreshold::slices([usize::MAX, usize::MAX].into_iter()), DrainThreshold::PROVES_NOTHING);
        assert_eq!(DrainThreshold::slices([1; MOST_SLICES].into_iter()), DrainThreshold::bytes(MOST_SLICES));
    }
}
