//! The methods that all datagram sockets have in common.

use super::Datagrams;
use crate::interest::Interest;

/// Methods that receive from whomever.
macro_rules! receive_methods {
    ($kind:ty, $address:ty) => {
        impl $kind {
            /// Waits for a datagram, copies it into `buf` and returns its length.
            ///
            /// What does not fit into `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, no datagram is lost.
            pub async fn recv(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().receive_datagram(Datagrams::receive, buf).await.map(|(count, ())| count)
            }

            /// Polls for a datagram and copies it into `buf`. Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// As [`recv`](Self::recv).
            pub fn poll_recv(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_receive_datagram(Datagrams::receive, cx, buf).map_ok(drop)
            }

            /// As [`recv`](Self::recv), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is no datagram; the system's.
            pub fn try_recv(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().try_receive_datagram(Datagrams::receive, buf).map(|(count, ())| count)
            }

            /// As [`recv`](Self::recv), appending to a growable buffer of the crate `bytes`.
            ///
            /// It takes the free room that the buffer has in one piece, which for a `Vec` or a
            /// `BytesMut` is its spare capacity: reserve as much as the largest datagram.
            ///
            /// # Errors
            ///
            /// As [`recv`](Self::recv).
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, no datagram is lost.
            pub async fn recv_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                self.evented().receive_datagram_into(Datagrams::receive, buf).await.map(|(count, ())| count)
            }

            /// As [`recv_buf`](Self::recv_buf), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is no datagram; the system's.
            pub fn try_recv_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                self.evented().try_receive_datagram_into(Datagrams::receive, buf).map(|(count, ())| count)
            }

            /// Waits for a datagram, copies it into `buf` and returns its length and who sent it.
            ///
            /// What does not fit into `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, no datagram is lost.
            pub async fn recv_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().receive_datagram(Datagrams::receive_from, buf).await
            }

            /// Polls for a datagram and copies it into `buf`; ready with its sender. Any number of
            /// tasks may poll.
            ///
            /// # Errors
            ///
            /// As [`recv_from`](Self::recv_from).
            pub fn poll_recv_from(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<$address>> {
                self.evented().poll_receive_datagram(Datagrams::receive_from, cx, buf).map_ok(|(_, from)| from)
            }

            /// As [`recv_from`](Self::recv_from), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is no datagram; the system's.
            pub fn try_recv_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram(Datagrams::receive_from, buf)
            }

            /// As [`recv_from`](Self::recv_from), appending to a growable buffer of the crate
            /// `bytes`.
            ///
            /// It takes the free room that the buffer has in one piece, which for a `Vec` or a
            /// `BytesMut` is its spare capacity: reserve as much as the largest datagram.
            ///
            /// # Errors
            ///
            /// As [`recv_from`](Self::recv_from).
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, no datagram is lost.
            pub async fn recv_buf_from<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<(usize, $address)> {
                self.evented().receive_datagram_into(Datagrams::receive_from, buf).await
            }

            /// As [`recv_buf_from`](Self::recv_buf_from), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is no datagram; the system's.
            pub fn try_recv_buf_from<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram_into(Datagrams::receive_from, buf)
            }

            /// Polls [`readable`](Self::readable). Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// That the runtime was shut down.
            pub fn poll_recv_ready(&self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_ready(Interest::READABLE, cx).map_ok(drop)
            }
        }
    };
}

/// Methods that look at a datagram without taking it out.
macro_rules! peek_methods {
    ($kind:ty, $address:ty) => {
        impl $kind {
            /// Waits for a datagram, copies it into `buf` and returns its length; the next one to
            /// receive gets it again.
            ///
            /// What does not fit into `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing has happened.
            pub async fn peek(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().receive_datagram(Datagrams::peek, buf).await.map(|(count, ())| count)
            }

            /// Polls for a datagram and copies it into `buf`. Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// As [`peek`](Self::peek).
            pub fn poll_peek(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_receive_datagram(Datagrams::peek, cx, buf).map_ok(|(count, ())| count)
            }

            /// As [`peek`](Self::peek), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is no datagram; the system's.
            pub fn try_peek(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().try_receive_datagram(Datagrams::peek, buf).map(|(count, ())| count)
            }

            /// Waits for a datagram, copies it into `buf` and returns its length and who sent it;
            /// the next one to receive gets it again.
            ///
            /// What does not fit into `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing has happened.
            pub async fn peek_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().receive_datagram(Datagrams::peek_from, buf).await
            }

            /// Polls for a datagram and copies it into `buf`; ready with its sender. Any number of
            /// tasks may poll.
            ///
            /// # Errors
            ///
            /// As [`peek_from`](Self::peek_from).
            pub fn poll_peek_from(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<$address>> {
                self.evented().poll_receive_datagram(Datagrams::peek_from, cx, buf).map_ok(|(_, from)| from)
            }

            /// As [`peek_from`](Self::peek_from), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is no datagram; the system's.
            pub fn try_peek_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram(Datagrams::peek_from, buf)
            }

            /// Waits for a datagram and returns who sent it; the next one to receive gets it.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing has happened.
            pub async fn peek_sender(&self) -> std::io::Result<$address> {
                self.evented().io(Interest::READABLE, Datagrams::peek_sender).await
            }

            /// Polls [`peek_sender`](Self::peek_sender). Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// As [`peek_sender`](Self::peek_sender).
            pub fn poll_peek_sender(
                &self,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<$address>> {
                self.evented().poll_io(Interest::READABLE, cx, Datagrams::peek_sender)
            }

            /// As [`peek_sender`](Self::peek_sender), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is no datagram; the system's.
            pub fn try_peek_sender(&self) -> std::io::Result<$address> {
                self.evented().try_io(Interest::READABLE, Datagrams::peek_sender)
            }
        }
    };
}

/// Methods that send to the peer.
macro_rules! send_methods {
    ($kind:ty, $address:ty) => {
        impl $kind {
            /// Sends a datagram to the peer that the socket is connected to, and returns its
            /// length.
            ///
            /// Sent means handed to the system, not received by the peer.
            ///
            /// # Errors
            ///
            /// The system's, also when the socket is not connected; or that the runtime was shut
            /// down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing was sent.
            pub async fn send(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().io(Interest::WRITABLE, |socket| socket.transmit(buf)).await
            }

            /// Polls a [`send`](Self::send). Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// As [`send`](Self::send).
            pub fn poll_send(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_io(Interest::WRITABLE, cx, |socket| socket.transmit(buf))
            }

            /// As [`send`](Self::send), without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when the system takes nothing; the system's.
            pub fn try_send(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().try_io(Interest::WRITABLE, |socket| socket.transmit(buf))
            }

            /// Polls [`writable`](Self::writable). Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// That the runtime was shut down.
            pub fn poll_send_ready(&self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_ready(Interest::WRITABLE, cx).map_ok(drop)
            }
        }
    };
}

for_each_datagram_socket!(receive_methods);
for_each_datagram_socket!(peek_methods);
for_each_datagram_socket!(send_methods);
