//! Receiving and peeking.

use super::UdpSocket;
use crate::interest::Interest;
use crate::net::datagram::Datagrams;
use bytes::BufMut;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

impl UdpSocket {
    /// Waits for a datagram, copies it into `buf` and returns its length.
    ///
    /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of tasks
    /// may wait.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no datagram is lost.
    #[doc = example!("udp_pair", "recv")]
    pub async fn recv(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().receive_datagram(Datagrams::receive, buf).await.map(|(count, ())| count)
    }

    /// Polls for a datagram and adds it to `buf`, into the free room that `buf` has in one piece.
    /// Any number of tasks may poll.
    ///
    /// `buf` may be a `&mut [MaybeUninit<u8>]`, which then begins behind the datagram; a `ReadBuf`;
    /// or a `Vec`, of which it takes the spare capacity.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`recv`](Self::recv).
    pub fn poll_recv<B: BufMut>(&self, cx: &mut Context<'_>, buf: &mut B) -> Poll<io::Result<()>> {
        self.evented().poll_receive_datagram(Datagrams::receive, cx, buf).map_ok(drop)
    }

    /// Receives like [`recv`](Self::recv), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there is no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_recv")]
    pub fn try_recv(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().try_receive_datagram(Datagrams::receive, buf).map(|(count, ())| count)
    }

    /// Receives like [`recv`](Self::recv), and appends to a growable buffer of the crate `bytes`.
    ///
    /// It takes the free room that the buffer has in one piece, which for a `Vec` or a `BytesMut`
    /// is its spare capacity: reserve as much as the largest datagram.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`recv`](Self::recv).
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no datagram is lost.
    #[doc = example!("udp_pair", "recv_buf")]
    pub async fn recv_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
        self.evented().receive_datagram_into(Datagrams::receive, buf).await.map(|(count, ())| count)
    }

    /// Receives like [`recv_buf`](Self::recv_buf), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there is no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_recv_buf")]
    pub fn try_recv_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
        self.evented().try_receive_datagram_into(Datagrams::receive, buf).map(|(count, ())| count)
    }

    /// Waits for a datagram, copies it into `buf` and returns its length and its sender.
    ///
    /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of tasks
    /// may wait.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no datagram is lost.
    #[doc = example!("udp_pair", "recv_from")]
    pub async fn recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.evented().receive_datagram(Datagrams::receive_from, buf).await
    }

    /// Polls for a datagram like [`poll_recv`](Self::poll_recv), and returns its sender.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`recv_from`](Self::recv_from).
    pub fn poll_recv_from<B: BufMut>(&self, cx: &mut Context<'_>, buf: &mut B) -> Poll<io::Result<SocketAddr>> {
        self.evented().poll_receive_datagram(Datagrams::receive_from, cx, buf).map_ok(|(_, from)| from)
    }

    /// Receives like [`recv_from`](Self::recv_from), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there is no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_recv_from")]
    pub fn try_recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.evented().try_receive_datagram(Datagrams::receive_from, buf)
    }

    /// Receives like [`recv_from`](Self::recv_from), and appends to a growable buffer of the crate
    /// `bytes`.
    ///
    /// It takes the free room that the buffer has in one piece, which for a `Vec` or a `BytesMut`
    /// is its spare capacity: reserve as much as the largest datagram.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`recv_from`](Self::recv_from).
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no datagram is lost.
    #[doc = example!("udp_pair", "recv_buf_from")]
    pub async fn recv_buf_from<B: BufMut>(&self, buf: &mut B) -> io::Result<(usize, SocketAddr)> {
        self.evented().receive_datagram_into(Datagrams::receive_from, buf).await
    }

    /// Receives like [`recv_buf_from`](Self::recv_buf_from), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there is no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_recv_buf_from")]
    pub fn try_recv_buf_from<B: BufMut>(&self, buf: &mut B) -> io::Result<(usize, SocketAddr)> {
        self.evented().try_receive_datagram_into(Datagrams::receive_from, buf)
    }

    /// Waits for a datagram, copies it into `buf` and returns its length. The datagram stays in the
    /// queue: the next receive returns it again.
    ///
    /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of tasks
    /// may wait.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing has happened.
    #[doc = example!("udp_pair", "peek_datagram")]
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().receive_datagram(Datagrams::peek, buf).await.map(|(count, ())| count)
    }

    /// Polls a [`peek`](Self::peek), into the kinds of buffer that [`poll_recv`](Self::poll_recv)
    /// takes. Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`peek`](Self::peek).
    pub fn poll_peek<B: BufMut>(&self, cx: &mut Context<'_>, buf: &mut B) -> Poll<io::Result<()>> {
        self.evented().poll_receive_datagram(Datagrams::peek, cx, buf).map_ok(drop)
    }

    /// Peeks like [`peek`](Self::peek), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there is no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_peek")]
    pub fn try_peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().try_receive_datagram(Datagrams::peek, buf).map(|(count, ())| count)
    }

    /// Waits for a datagram, copies it into `buf` and returns its length and its sender. The
    /// datagram stays in the queue: the next receive returns it again.
    ///
    /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of tasks
    /// may wait.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing has happened.
    #[doc = example!("udp_pair", "peek_from")]
    pub async fn peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.evented().receive_datagram(Datagrams::peek_from, buf).await
    }

    /// Polls a peek like [`poll_peek`](Self::poll_peek), and returns the sender.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`peek_from`](Self::peek_from).
    pub fn poll_peek_from<B: BufMut>(&self, cx: &mut Context<'_>, buf: &mut B) -> Poll<io::Result<SocketAddr>> {
        self.evented().poll_receive_datagram(Datagrams::peek_from, cx, buf).map_ok(|(_, from)| from)
    }

    /// Peeks like [`peek_from`](Self::peek_from), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there is no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_peek_from")]
    pub fn try_peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.evented().try_receive_datagram(Datagrams::peek_from, buf)
    }

    /// Waits for a datagram and returns its sender. The datagram stays in the queue.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing has happened.
    #[doc = example!("udp_pair", "peek_sender")]
    pub async fn peek_sender(&self) -> io::Result<SocketAddr> {
        self.evented().io(Interest::READABLE, Datagrams::peek_sender).await
    }

    /// Polls [`peek_sender`](Self::peek_sender). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`peek_sender`](Self::peek_sender).
    pub fn poll_peek_sender(&self, cx: &mut Context<'_>) -> Poll<io::Result<SocketAddr>> {
        self.evented().poll_io(Interest::READABLE, cx, Datagrams::peek_sender)
    }

    /// Peeks like [`peek_sender`](Self::peek_sender), without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there is no datagram, or the OS error.
    #[doc = example!("udp_pair", "try_peek_sender")]
    pub fn try_peek_sender(&self) -> io::Result<SocketAddr> {
        self.evented().try_io(Interest::READABLE, Datagrams::peek_sender)
    }
}
