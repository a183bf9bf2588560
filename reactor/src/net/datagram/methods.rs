//! The methods of datagram sockets. They are macros for the reason given in `stream/methods.rs`.

/// Gives `$kind`, whose `evented` is an `Evented<impl Datagrams>`, what it does with a peer that it
/// is connected to.
macro_rules! datagram_send_methods {
    ($kind:ty, $socket:literal) => {
        impl $kind {
            /// Sends `buf` as one datagram to the peer that this socket is connected to, and
            /// returns the number of bytes sent.
            ///
            /// A successful return means that the OS has taken the datagram, not that the peer has
            /// received it.
            ///
            /// # Errors
            ///
            /// Returns the OS error, for example if the socket is not connected, or an error if the
            /// runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no datagram has been sent.
            #[doc = example!($socket, "send")]
            pub async fn send(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().io($crate::interest::Interest::WRITABLE, |socket| socket.transmit(buf)).await
            }

            /// Attempts to send `buf`, as [`send`](Self::send) does. If the datagram cannot be sent
            /// yet, returns `Poll::Pending` and registers the current task to be woken. Any number
            /// of tasks may poll concurrently.
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

            /// Tries to send `buf` as one datagram to the connected peer without waiting, and
            /// returns the number of bytes sent.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if the OS cannot take a datagram at the moment, or the OS
            /// error.
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
            /// Waits for a datagram, copies it into `buf`, and returns the number of bytes
            /// received.
            ///
            /// A datagram longer than `buf` is truncated; on Windows, it is an error instead. Any
            /// number of tasks may wait concurrently.
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

            /// Attempts to receive a datagram, and adds its bytes to the first contiguous free part
            /// of `buf`. If no datagram is available, returns `Poll::Pending` and registers the
            /// current task to be woken. Any number of tasks may poll concurrently.
            ///
            /// `buf` may be a `&mut [MaybeUninit<u8>]`, which afterwards begins behind the
            /// datagram's bytes; a `ReadBuf`; or a `Vec`, whose spare capacity is used.
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

            /// Tries to receive a datagram into `buf` without waiting, and returns the number of
            /// bytes received.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no datagram is available, or the OS error.
            #[doc = example!($socket, "try_recv")]
            pub fn try_recv(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented()
                    .try_receive_datagram($crate::net::datagram::Datagrams::receive, buf)
                    .map(|(count, ())| count)
            }

            /// Waits for a datagram, appends it to a growable buffer of the `bytes` crate, and
            /// returns the number of bytes received.
            ///
            /// The datagram is written into the first contiguous free part of `buf`, which for a
            /// `Vec` or a `BytesMut` is the spare capacity. Reserve enough capacity for the largest
            /// datagram before the call.
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

            /// Tries to receive a datagram into a growable buffer, as [`recv_buf`](Self::recv_buf)
            /// does, without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no datagram is available, or the OS error.
            #[doc = example!($socket, "try_recv_buf")]
            pub fn try_recv_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                self.evented()
                    .try_receive_datagram_into($crate::net::datagram::Datagrams::receive, buf)
                    .map(|(count, ())| count)
            }

            /// Waits for a datagram, copies it into `buf`, and returns the number of bytes received
            /// together with the sender's address.
            ///
            /// A datagram longer than `buf` is truncated; on Windows, it is an error instead. Any
            /// number of tasks may wait concurrently.
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

            /// Attempts to receive a datagram into `buf`, as [`poll_recv`](Self::poll_recv) does,
            /// and returns the sender's address.
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

            /// Tries to receive a datagram into `buf` without waiting, and returns the number of
            /// bytes received together with the sender's address.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no datagram is available, or the OS error.
            #[doc = example!($socket, "try_recv_from")]
            pub fn try_recv_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram($crate::net::datagram::Datagrams::receive_from, buf)
            }

            /// Waits for a datagram, appends it to a growable buffer of the `bytes` crate, and
            /// returns the number of bytes received together with the sender's address.
            ///
            /// The datagram is written into the first contiguous free part of `buf`, which for a
            /// `Vec` or a `BytesMut` is the spare capacity. Reserve enough capacity for the largest
            /// datagram before the call.
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

            /// Tries to receive a datagram and its sender's address into a growable buffer, as
            /// [`recv_buf_from`](Self::recv_buf_from) does, without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no datagram is available, or the OS error.
            #[doc = example!($socket, "try_recv_buf_from")]
            pub fn try_recv_buf_from<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram_into($crate::net::datagram::Datagrams::receive_from, buf)
            }

            /// Waits for a datagram, copies it into `buf`, and returns the number of bytes copied.
            /// The datagram stays in the queue: the next receive returns the same datagram.
            ///
            /// A datagram longer than `buf` is truncated; on Windows, it is an error instead. Any
            /// number of tasks may wait concurrently.
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

            /// Attempts to copy the next datagram into `buf` without removing it from the queue, as
            /// [`peek`](Self::peek) does. `buf` may be any buffer that
            /// [`poll_recv`](Self::poll_recv) accepts. Any number of tasks may poll concurrently.
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

            /// Tries to copy the next datagram into `buf` without waiting and without removing it
            /// from the queue, and returns the number of bytes copied.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no datagram is available, or the OS error.
            #[doc = example!($socket, "try_peek")]
            pub fn try_peek(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented()
                    .try_receive_datagram($crate::net::datagram::Datagrams::peek, buf)
                    .map(|(count, ())| count)
            }

            /// Waits for a datagram, copies it into `buf`, and returns the number of bytes copied
            /// together with the sender's address. The datagram stays in the queue: the next
            /// receive returns the same datagram.
            ///
            /// A datagram longer than `buf` is truncated; on Windows, it is an error instead. Any
            /// number of tasks may wait concurrently.
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

            /// Attempts to copy the next datagram into `buf` without removing it from the queue, as
            /// [`poll_peek`](Self::poll_peek) does, and returns the sender's address.
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

            /// Tries to copy the next datagram into `buf` without waiting and without removing it
            /// from the queue, and returns the number of bytes copied together with the sender's
            /// address.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no datagram is available, or the OS error.
            #[doc = example!($socket, "try_peek_from")]
            pub fn try_peek_from(&self, buf: &mut [u8]) -> std::io::Result<(usize, $address)> {
                self.evented().try_receive_datagram($crate::net::datagram::Datagrams::peek_from, buf)
            }

            /// Waits for a datagram and returns its sender's address. The datagram stays in the
            /// queue.
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

            /// Attempts to return the sender's address of the next datagram, as
            /// [`peek_sender`](Self::peek_sender) does, without removing the datagram from the
            /// queue. Any number of tasks may poll concurrently.
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

            /// Tries to return the sender's address of the next datagram without waiting and
            /// without removing the datagram from the queue.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no datagram is available, or the OS error.
            #[doc = example!($socket, "try_peek_sender")]
            pub fn try_peek_sender(&self) -> std::io::Result<$address> {
                self.evented()
                    .try_io($crate::interest::Interest::READABLE, $crate::net::datagram::Datagrams::peek_sender)
            }
        }
    };
}

pub(in crate::net) use {datagram_receive_methods, datagram_send_methods};
