//! The methods that streams, their halves and the ends of pipes have in common, written once.
//!
//! Each type that gets them has an `evented(&self) -> &Evented<..>`. The reading and writing
//! methods take `&mut self` although the system needs no such thing: they keep two readers from
//! taking bytes from one another by accident, and, being inherent with the receiver that the
//! extension traits use, they are preferred to those and never ambiguous.

/// Methods of whatever can read.
macro_rules! read_methods {
    ($kind:ty) => {
        impl $kind {
            /// Reads what there is into `buf` and returns how many bytes that was; waits when there
            /// is nothing.
            ///
            /// Zero means that the peer has ended the stream, or that `buf` is empty.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, no bytes are lost.
            pub async fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().receive(buf).await
            }

            /// Reads what there is into several buffers, filling each before the next; otherwise as
            /// `read`.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, no bytes are lost.
            pub async fn read_vectored(&mut self, bufs: &mut [std::io::IoSliceMut<'_>]) -> std::io::Result<usize> {
                self.evented().receive_vectored(bufs).await
            }

            /// Fills `buf` and returns its length.
            ///
            /// # Errors
            ///
            /// `UnexpectedEof` when the peer ends the stream first; the system's; or that the
            /// runtime was shut down. What was read is in `buf`, but not how much.
            ///
            /// # Cancel safety
            ///
            /// None: dropped before it is ready, it may have read some bytes, and does not tell how
            /// many.
            pub async fn read_exact(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                $crate::net::stream::bulk::read_exact(self.evented(), buf).await
            }

            /// Reads until the peer ends the stream, appends it all to `buf`, and returns how many
            /// bytes were added.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down. What was read before is in `buf`.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, what was read is in `buf`; calling it again goes on from
            /// there.
            pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> std::io::Result<usize> {
                $crate::net::stream::bulk::read_to_end(self.evented(), buf).await
            }

            /// Reads until the peer ends the stream, appends it all to `buf`, and returns how many
            /// bytes were added.
            ///
            /// # Errors
            ///
            /// `InvalidData` when it is not UTF-8; the system's; or that the runtime was shut down.
            /// `buf` is as it was then, and what was read is lost.
            ///
            /// # Cancel safety
            ///
            /// None: dropped before it is ready, what was read is lost.
            pub async fn read_to_string(&mut self, buf: &mut String) -> std::io::Result<usize> {
                $crate::net::stream::bulk::read_to_string(self.evented(), buf).await
            }

            /// Polls [`readable`](Self::readable). Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// That the runtime was shut down.
            pub fn poll_read_ready(&self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_ready($crate::Interest::READABLE, cx).map_ok(drop)
            }

            /// Reads what there is into `buf` without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is nothing; the system's.
            pub fn try_read(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().try_receive(buf)
            }

            /// Reads what there is into the free room that `buf` has in one piece, without waiting.
            /// For a `Vec` or a `BytesMut` that is its spare capacity.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is nothing; the system's.
            pub fn try_read_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                $crate::net::stream::bulk::try_read_buf(self.evented(), buf)
            }

            /// Reads what there is into several buffers without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when there is nothing; the system's.
            pub fn try_read_vectored(&self, bufs: &mut [std::io::IoSliceMut<'_>]) -> std::io::Result<usize> {
                self.evented().try_receive_vectored(bufs)
            }
        }
    };
}

/// Methods of whatever can write.
macro_rules! write_methods {
    ($kind:ty) => {
        impl $kind {
            /// Writes as much of `buf` as the system takes and returns how many bytes that was;
            /// waits when it takes nothing.
            ///
            /// Written means handed to the system, not received by the peer.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing was written.
            pub async fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().send(buf).await
            }

            /// Writes as much of several buffers, in their order, as the system takes in one call;
            /// otherwise as `write`.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing was written.
            pub async fn write_vectored(&mut self, bufs: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                self.evented().send_vectored(bufs).await
            }

            /// Writes all of `buf`.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down. Some of `buf` may have been
            /// written.
            ///
            /// # Cancel safety
            ///
            /// None: dropped before it is ready, it may have written some of `buf`, and does not
            /// tell how much.
            pub async fn write_all(&mut self, buf: &[u8]) -> std::io::Result<()> {
                $crate::net::stream::bulk::write_all(self.evented(), buf).await
            }

            /// Does nothing: what was written is with the system already. Here so that a stream
            /// reads like a buffered one.
            ///
            /// # Errors
            ///
            /// None.
            ///
            /// # Cancel safety
            ///
            /// It is ready at the first poll.
            pub async fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }

            /// Polls [`writable`](Self::writable). Any number of tasks may poll.
            ///
            /// # Errors
            ///
            /// That the runtime was shut down.
            pub fn poll_write_ready(&self, cx: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
                self.evented().poll_ready($crate::Interest::WRITABLE, cx).map_ok(drop)
            }

            /// Writes as much of `buf` as the system takes without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when it takes nothing; the system's.
            pub fn try_write(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().try_send(buf)
            }

            /// Writes as much of several buffers as the system takes in one call without waiting.
            ///
            /// # Errors
            ///
            /// `WouldBlock` when it takes nothing; the system's.
            pub fn try_write_vectored(&self, bufs: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                self.evented().try_send_vectored(bufs)
            }
        }
    };
}

/// Methods of whatever can end its writing without being dropped.
macro_rules! shutdown_methods {
    ($kind:ty) => {
        impl $kind {
            /// Ends the writing direction: the peer reads the end of the stream once it has read
            /// what was written.
            ///
            /// Doing it again, or after the connection has ended, is no error.
            ///
            /// # Errors
            ///
            /// The system's.
            ///
            /// # Cancel safety
            ///
            /// It is done at the first poll.
            pub async fn shutdown(&mut self) -> std::io::Result<()> {
                self.end_writing()
            }
        }
    };
}

/// Methods of whatever can be read from without taking the bytes out.
macro_rules! peek_methods {
    ($kind:ty) => {
        impl $kind {
            /// Reads without taking the bytes out: the next read returns them again. Waits when
            /// there is nothing.
            ///
            /// # Errors
            ///
            /// The system's, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing has happened.
            pub async fn peek(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().peek(buf).await
            }

            /// Polls a [`peek`](Self::peek) and returns how many bytes it added to `buf`. Any
            /// number of tasks may poll.
            ///
            /// # Errors
            ///
            /// As [`peek`](Self::peek).
            pub fn poll_peek(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_peek(cx, buf)
            }
        }
    };
}

/// Methods of whatever is a connected socket or a part of one.
macro_rules! address_methods {
    ($kind:ty, $address:ty) => {
        impl $kind {
            /// Returns the peer's address.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn peer_addr(&self) -> std::io::Result<$address> {
                self.evented().get_ref().peer_addr()
            }

            /// Returns the address on this side.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn local_addr(&self) -> std::io::Result<$address> {
                self.evented().get_ref().local_addr()
            }
        }
    };
}

for_each_reader!(read_methods);
for_each_writer!(write_methods);
for_each_ending_writer!(shutdown_methods);
for_each_peeker!(peek_methods);
for_each_connected!(address_methods);
