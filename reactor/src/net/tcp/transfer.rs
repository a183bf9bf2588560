//! Moving bytes: what each kind of read and write asks of the system, and what a short one proves.
//!
//! On a stream socket that moved fewer bytes than it was asked to, the direction is drained: the receive buffer is
//! empty, or the send buffer full. Where the poll reports every later change as a new event (epoll, kqueue), readiness
//! can be cleared on that evidence, and the system call that would have answered `WouldBlock` is saved. Not evidence
//! are:
//!
//! * zero bytes, the end of the stream: it stays readable for ever;
//! * a request beyond what one system call takes, in bytes or in slices: it is cut short whatever the socket holds;
//! * a peek, which takes nothing out.

use super::TcpStream;
use crate::evented::Claim;
use crate::interest::Interest;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::task::{Context, Poll};

/// Whether the poll of this system reports data that arrives after a short transfer. Windows' emulation is re-armed by
/// `WouldBlock` alone.
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

/// The most bytes that every one of these systems moves in one call: Linux stops at 2 GiB less a page, others at 2 GiB
/// less one.
const MOST_BYTES: usize = 0x7fff_0000;

/// The most slices that every one of these systems takes in one call (`IOV_MAX`).
const MOST_SLICES: usize = 1024;

/// How many bytes a transfer may move at most, if falling short of it would prove something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked(Option<usize>);

impl Asked {
    const PROVES_NOTHING: Asked = Asked(None);

    fn bytes(count: usize) -> Self {
        Self((SHORT_MEANS_DRAINED && count <= MOST_BYTES).then_some(count))
    }

    fn slices(lengths: impl ExactSizeIterator<Item = usize>) -> Self {
        if lengths.len() > MOST_SLICES {
            return Self::PROVES_NOTHING;
        }
        Self::bytes(lengths.fold(0, usize::saturating_add))
    }

    fn is_drained_by(self, moved: usize) -> bool {
        self.0.is_some_and(|asked| 0 < moved && moved < asked)
    }
}

/// The system calls, each with what it asks for.
impl TcpStream {
    fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        let socket = self.socket();
        socket.try_io(|| socket2::SockRef::from(socket).recv(buf))
    }

    /// Polls a read on behalf of the only reader, into memory that need not be initialised. The bytes counted are.
    pub(super) fn poll_receive(&self, cx: &mut Context<'_>, buf: &mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>> {
        let asked = Asked::bytes(buf.len());
        self.poll_transfer(Interest::READABLE, cx, asked, || self.receive_uninit(buf))
    }

    pub(super) fn poll_send(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_transfer(Interest::WRITABLE, cx, Asked::bytes(buf.len()), || self.socket().write(buf))
    }

    pub(super) fn poll_send_vectored(&self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let asked = Asked::slices(bufs.iter().map(|buf| buf.len()));
        self.poll_transfer(Interest::WRITABLE, cx, asked, || self.socket().write_vectored(bufs))
    }

    fn poll_transfer(
        &self,
        interest: Interest,
        cx: &mut Context<'_>,
        asked: Asked,
        mut call: impl FnMut() -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        self.evented().poll_drain(Claim::Sole, interest, cx, |_| call(), |&moved| asked.is_drained_by(moved))
    }

    /// Reads into memory that need not be initialised. The bytes counted are.
    pub(super) async fn receive_into(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        let asked = Asked::bytes(buf.len());
        self.transfer(Interest::READABLE, asked, || self.receive_uninit(buf)).await
    }

    pub(super) async fn receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        let asked = Asked::bytes(buf.len());
        self.transfer(Interest::READABLE, asked, || self.socket().read(buf)).await
    }

    pub(super) async fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let asked = Asked::slices(bufs.iter().map(|buf| buf.len()));
        self.transfer(Interest::READABLE, asked, || self.socket().read_vectored(bufs)).await
    }

    pub(super) async fn send(&self, buf: &[u8]) -> io::Result<usize> {
        self.transfer(Interest::WRITABLE, Asked::bytes(buf.len()), || self.socket().write(buf)).await
    }

    pub(super) async fn send_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        let asked = Asked::slices(bufs.iter().map(|buf| buf.len()));
        self.transfer(Interest::WRITABLE, asked, || self.socket().write_vectored(bufs)).await
    }

    async fn transfer(
        &self,
        interest: Interest,
        asked: Asked,
        mut call: impl FnMut() -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.evented().drain(interest, |_| call(), |&moved| asked.is_drained_by(moved)).await
    }

    pub(super) fn try_receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        let asked = Asked::bytes(buf.len());
        self.try_transfer(Interest::READABLE, asked, || self.socket().read(buf))
    }

    pub(super) fn try_receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let asked = Asked::slices(bufs.iter().map(|buf| buf.len()));
        self.try_transfer(Interest::READABLE, asked, || self.socket().read_vectored(bufs))
    }

    pub(super) fn try_send(&self, buf: &[u8]) -> io::Result<usize> {
        self.try_transfer(Interest::WRITABLE, Asked::bytes(buf.len()), || self.socket().write(buf))
    }

    pub(super) fn try_send_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        let asked = Asked::slices(bufs.iter().map(|buf| buf.len()));
        self.try_transfer(Interest::WRITABLE, asked, || self.socket().write_vectored(bufs))
    }

    fn try_transfer(
        &self,
        interest: Interest,
        asked: Asked,
        call: impl FnOnce() -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.evented().try_drain(interest, |_| call(), |&moved| asked.is_drained_by(moved))
    }

    /// Ends the writing direction. That it has ended already is what was wanted: some systems call it an error.
    pub(super) fn end_writing(&self) -> io::Result<()> {
        match self.socket().shutdown(Shutdown::Write) {
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_transfer_of_something_proves_that_a_socket_is_drained() {
        assert_eq!(Asked::bytes(100).is_drained_by(99), SHORT_MEANS_DRAINED);
        assert!(!Asked::bytes(100).is_drained_by(100));
        assert!(!Asked::bytes(100).is_drained_by(0), "the end of the stream");
        assert!(!Asked::bytes(0).is_drained_by(0), "nothing was asked for");
    }

    #[test]
    fn a_request_that_the_system_cuts_short_proves_nothing() {
        assert_eq!(Asked::bytes(MOST_BYTES + 1), Asked::PROVES_NOTHING);
        assert_eq!(Asked::slices([1; MOST_SLICES + 1].into_iter()), Asked::PROVES_NOTHING);
        assert_eq!(Asked::slices([usize::MAX, usize::MAX].into_iter()), Asked::PROVES_NOTHING);
        assert_eq!(Asked::slices([1; MOST_SLICES].into_iter()), Asked::bytes(MOST_SLICES));
    }
}
