//! The methods of sockets for datagrams. Macros for the reason that `stream/methods.rs` gives.

/// Gives `$kind`, whose `evented` is an `Evented<impl Datagrams>`, what it does with a peer that it
/// is connected to.
macro_rules! datagram_send_methods {
    ($kind:ty, $socket:literal) => {
        impl $kind {
            /// Sends a datagram to the peer that the socket is connected to, and returns its
            /// length.
            ///
            /// Sent means handed to the OS, not received by the peer.
            ///
            /// # Errors
            ///
            /// Returns the OS error, also if the socket is not connected; or an error if the
            /// runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no datagram has been sent.
            #[doc = example!($socket, "send")]
            pub async fn send(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().io($crate::interest::Interest::WRITABLE, |socket| socket.transmit(buf)).await
            }

            /// Polls a [`send`](Self::send). Any number of tasks may poll concurrently.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`send`](Self::send).
            pub fn poll_send(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_io($crate::interest::Interest::WRITABLE, cx, |socket| socket.transmit(buf))
            }

            /// Sends like [`send`](Self::send), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if the OS takes no datagram, or the OS error.
            #[doc = example!($socket, "try_send")]
            pub fn try_send(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().try_io($crate::interest::Interest::WRITABLE, |socket| socket.transmit(buf))
            }
        }
    };
}

/// Gives `$kind`, whose `evented` is an `Evented<impl Datagrams>`, the methods that receive and
/// peek.
macro_rules! datagram_receive_methods {
    ($kind:ty, $address:ty, $socket:literal) => {
        impl $kind {
            /// Waits for a datagram, copies it into `buf` and returns its length.
            ///
            /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait concurrently.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no datagram is lost.
            #[doc = example!($socket, "recv")]
            pub async fn recv(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented()
                    .receive_datagram($crate::net::datagram::Datagrams::receive, buf)
                    .await
                    .map(|(count, ())| count)
            }

            /// Polls for a datagram and adds it to `buf`, into the free room that `buf` has in one
            /// piece. Any number of tasks may poll concurrently.
            ///
            /// `buf` may be a `&mut [MaybeUninit<u8>]`, which then begins behind the datagram; a
            /// `ReadBuf`; or a `Vec`, of which it takes the spare capacity.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`recv`](Self::recv).
            pub fn poll_recv<B: bytes::BufMut>(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut B,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_receive_datagram($crate::net::datagram::Datagrams::receive, cx, buf).map_ok(drop)
            }

            /// Receives like [`recv`](Self::recv), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there is no datagram, or the OS error.
            #[doc = example!($socket, "try_recv")]
            pub fn try_recv(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented()
                    .try_receive_datagram($crate::net::datagram::Datagrams::receive, buf)
                    .map(|(count, ())| count)
            }

            /// Receives like [`recv`](Self::recv), and appends to a growable buffer of the crate
            /// `bytes`.
            ///
            /// It takes the free room that the buffer has in one piece, which for a `Vec` or a
            /// `BytesMut` is its spare capacity: reserve as much as the largest datagram.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`recv`](Self::recv).
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no datagram is lost.
            #[doc = example!($socket, "recv_buf")]
            pub async fn recv_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                self.evented()
                    .receive_datagram_into($crate::net::datagram::Datagrams::receive, buf)
                    .await
                    .map(|(count, ())| count)
            }

            /// Receives like [`recv_buf`](Self::recv_buf), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there is no datagram, or the OS error.
            #[doc = example!($socket, "try_recv_buf")]
            pub fn try_recv_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                self.evented()
                    .try_receive_datagram_into($crate::net::datagram::Datagrams::receive, buf)
                    .map(|(count, ())| count)
            }

            /// Waits for a datagram, copies it into `buf` and returns its length and its sender.
            ///
            /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait concurrently.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no datagram is lost.
            #[doc = example!($socket, "recv_from")]
            pub async fn recv_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().receive_datagram($crate::net::datagram::Datagrams::receive_from, buf).await
            }

            /// Polls for a datagram like [`poll_recv`](Self::poll_recv), and returns its sender.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`recv_from`](Self::recv_from).
            pub fn poll_recv_from<B: bytes::BufMut>(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut B,
            ) -> std::task::Poll<std::io::Result<$address>> {
                self.evented()
                    .poll_receive_datagram($crate::net::datagram::Datagrams::receive_from, cx, buf)
                    .map_ok(|(_, from)| from)
            }

            /// Receives like [`recv_from`](Self::recv_from), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there is no datagram, or the OS error.
            #[doc = example!($socket, "try_recv_from")]
            pub fn try_recv_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram($crate::net::datagram::Datagrams::receive_from, buf)
            }

            /// Receives like [`recv_from`](Self::recv_from), and appends to a growable buffer of
            /// the crate `bytes`.
            ///
            /// It takes the free room that the buffer has in one piece, which for a `Vec` or a
            /// `BytesMut` is its spare capacity: reserve as much as the largest datagram.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`recv_from`](Self::recv_from).
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no datagram is lost.
            #[doc = example!($socket, "recv_buf_from")]
            pub async fn recv_buf_from<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<(usize, $address)> {
                self.evented().receive_datagram_into($crate::net::datagram::Datagrams::receive_from, buf).await
            }

            /// Receives like [`recv_buf_from`](Self::recv_buf_from), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there is no datagram, or the OS error.
            #[doc = example!($socket, "try_recv_buf_from")]
            pub fn try_recv_buf_from<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram_into($crate::net::datagram::Datagrams::receive_from, buf)
            }

            /// Waits for a datagram, copies it into `buf` and returns its length. The datagram
            /// stays in the queue: the next receive returns it again.
            ///
            /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait concurrently.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no data has been consumed.
            #[doc = example!($socket, "peek_datagram")]
            pub async fn peek(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented()
                    .receive_datagram($crate::net::datagram::Datagrams::peek, buf)
                    .await
                    .map(|(count, ())| count)
            }

            /// Polls a [`peek`](Self::peek), into the kinds of buffer that
            /// [`poll_recv`](Self::poll_recv) takes. Any number of tasks may poll concurrently.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`peek`](Self::peek).
            pub fn poll_peek<B: bytes::BufMut>(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut B,
            ) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_receive_datagram($crate::net::datagram::Datagrams::peek, cx, buf).map_ok(drop)
            }

            /// Peeks like [`peek`](Self::peek), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there is no datagram, or the OS error.
            #[doc = example!($socket, "try_peek")]
            pub fn try_peek(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented()
                    .try_receive_datagram($crate::net::datagram::Datagrams::peek, buf)
                    .map(|(count, ())| count)
            }

            /// Waits for a datagram, copies it into `buf` and returns its length and its sender.
            /// The datagram stays in the queue: the next receive returns it again.
            ///
            /// A datagram longer than `buf` is cut off (on Windows, it is an error). Any number of
            /// tasks may wait concurrently.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no data has been consumed.
            #[doc = example!($socket, "peek_from")]
            pub async fn peek_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().receive_datagram($crate::net::datagram::Datagrams::peek_from, buf).await
            }

            /// Polls a peek like [`poll_peek`](Self::poll_peek), and returns the sender.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`peek_from`](Self::peek_from).
            pub fn poll_peek_from<B: bytes::BufMut>(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut B,
            ) -> std::task::Poll<std::io::Result<$address>> {
                self.evented()
                    .poll_receive_datagram($crate::net::datagram::Datagrams::peek_from, cx, buf)
                    .map_ok(|(_, from)| from)
            }

            /// Peeks like [`peek_from`](Self::peek_from), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there is no datagram, or the OS error.
            #[doc = example!($socket, "try_peek_from")]
            pub fn try_peek_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram($crate::net::datagram::Datagrams::peek_from, buf)
            }

            /// Waits for a datagram and returns its sender. The datagram stays in the queue.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no data has been consumed.
            #[doc = example!($socket, "peek_sender")]
            pub async fn peek_sender(&self) -> std::io::Result<$address> {
                self.evented()
                    .io($crate::interest::Interest::READABLE, $crate::net::datagram::Datagrams::peek_sender)
                    .await
            }

            /// Polls [`peek_sender`](Self::peek_sender). Any number of tasks may poll concurrently.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`peek_sender`](Self::peek_sender).
            pub fn poll_peek_sender(
                &self,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<$address>> {
                self.evented().poll_io(
                    $crate::interest::Interest::READABLE,
                    cx,
                    $crate::net::datagram::Datagrams::peek_sender,
                )
            }

            /// Peeks like [`peek_sender`](Self::peek_sender), without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there is no datagram, or the OS error.
            #[doc = example!($socket, "try_peek_sender")]
            pub fn try_peek_sender(&self) -> std::io::Result<$address> {
                self.evented()
                    .try_io($crate::interest::Interest::READABLE, $crate::net::datagram::Datagrams::peek_sender)
            }
        }
    };
}

pub(in crate::net) use {datagram_receive_methods, datagram_send_methods};
