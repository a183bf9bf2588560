//! The methods of byte streams: connections, their halves, and the ends of pipes.
//!
//! Macros, because they are inherent methods with documentation and examples of each type: a trait
//! would have to be imported, and its methods would repeat the I/O traits' once more. The names of
//! examples are names of files in `docs/sockets`.

/// Gives `$kind`, whose `evented` is an `Evented<impl Receive>`, the methods to read. `$end` tells
/// when its stream has ended.
macro_rules! stream_read_methods {
    ($kind:ty, $socket:literal, $end:literal) => {
        impl $kind {
            /// Reads the available bytes into `buf` and returns their number; waits if there are
            /// none.
            ///
            #[doc = concat!("Zero means that ", $end, ", or that `buf` is empty.")]
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no bytes are lost.
            #[doc = example!($socket, "read")]
            pub async fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().receive(buf).await
            }

            /// Reads into several buffers, filling each before the next; otherwise like
            /// [`read`](Self::read).
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no bytes are lost.
            #[doc = example!($socket, "read_vectored")]
            pub async fn read_vectored(&mut self, bufs: &mut [std::io::IoSliceMut<'_>]) -> std::io::Result<usize> {
                self.evented().receive_vectored(bufs).await
            }

            /// Fills `buf` and returns its length.
            ///
            /// # Errors
            ///
            #[doc = concat!("Returns `UnexpectedEof` if ", $end, " first, the OS error, or an error if")]
            /// The runtime was shut down. `buf` then holds the bytes read so far; their number is
            /// unspecified.
            ///
            /// # Cancel safety
            ///
            /// This method is not cancel safe: if the future is dropped before completion, some
            /// bytes may already have been read into `buf`.
            #[doc = example!($socket, "read_exact")]
            pub async fn read_exact(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                $crate::net::stream::bulk::read_exact(self.evented(), buf).await
            }

            #[doc = concat!("Reads until ", $end, ", appends everything to `buf`, and returns the")]
            /// number of bytes added.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down. `buf` holds the
            /// bytes read before it.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, `buf` holds the bytes read so far;
            /// another call continues from there.
            #[doc = example!($socket, "read_to_end")]
            pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> std::io::Result<usize> {
                $crate::net::stream::bulk::read_to_end(self.evented(), buf).await
            }

            #[doc = concat!("Reads until ", $end, ", appends the text to `buf`, and returns the number")]
            /// of bytes added.
            ///
            /// # Errors
            ///
            /// Returns `InvalidData` if the bytes are not UTF-8, the OS error, or an error if the
            /// runtime has been shut down. `buf` is unchanged then, and the bytes read are lost.
            ///
            /// # Cancel safety
            ///
            /// This method is not cancel safe: if the future is dropped before completion, the
            /// bytes read so far are lost.
            #[doc = example!($socket, "read_to_string")]
            pub async fn read_to_string(&mut self, buf: &mut String) -> std::io::Result<usize> {
                $crate::net::stream::bulk::read_to_string(self.evented(), buf).await
            }

            /// Reads the available bytes into `buf` without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there are none, or the OS error.
            #[doc = example!($socket, "try_read")]
            pub fn try_read(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().try_receive(buf)
            }

            /// Reads into the free room that `buf` has in one piece, without waiting. For a `Vec`
            /// or a `BytesMut` that is its spare capacity.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there are no bytes, or the OS error.
            #[doc = example!($socket, "try_read_buf")]
            pub fn try_read_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                $crate::net::stream::bulk::try_read_buf(self.evented(), buf)
            }

            /// Reads the available bytes into several buffers without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if there are none, or the OS error.
            #[doc = example!($socket, "try_read_vectored")]
            pub fn try_read_vectored(&self, bufs: &mut [std::io::IoSliceMut<'_>]) -> std::io::Result<usize> {
                self.evented().try_receive_vectored(bufs)
            }
        }
    };
}

/// Gives `$kind`, a socket or the half of one, the methods to look at bytes without reading them.
macro_rules! stream_peek_methods {
    ($kind:ty, $socket:literal) => {
        impl $kind {
            /// Reads without consuming the bytes: the next read returns them again. Waits if there
            /// are none.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no data has been consumed.
            #[doc = example!($socket, "peek")]
            pub async fn peek(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().peek(buf).await
            }

            /// Polls a [`peek`](Self::peek) into the free room that `buf` has in one piece, such as
            /// a `&mut [MaybeUninit<u8>]` or a `ReadBuf`, and returns the number of bytes added.
            /// Any number of tasks may poll concurrently.
            ///
            /// # Errors
            ///
            /// Returns the errors of [`peek`](Self::peek).
            pub fn poll_peek<B: bytes::BufMut>(
                &self,
                cx: &mut std::task::Context<'_>,
                buf: &mut B,
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_peek(cx, buf)
            }
        }
    };
}

/// Gives `$kind`, whose `evented` is an `Evented<impl Transmit>`, the methods to write. `$received`
/// is what has not happened yet to bytes that are written.
macro_rules! stream_write_methods {
    ($kind:ty, $socket:literal, $received:literal) => {
        impl $kind {
            /// Writes as much of `buf` as the OS takes and returns the number of bytes; waits if it
            /// takes none.
            ///
            #[doc = concat!("Written means handed to the OS, not ", $received, ".")]
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no bytes have been written.
            #[doc = example!($socket, "write")]
            pub async fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().send(buf).await
            }

            /// Writes as much of several buffers, in their order, as the OS takes in one call;
            /// otherwise like [`write`](Self::write).
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no bytes have been written.
            #[doc = example!($socket, "write_vectored")]
            pub async fn write_vectored(&mut self, bufs: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                self.evented().send_vectored(bufs).await
            }

            /// Writes all of `buf`.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down. Some of `buf`
            /// may have been written.
            ///
            /// # Cancel safety
            ///
            /// This method is not cancel safe: if the future is dropped before completion, part of
            /// `buf` may already have been written.
            #[doc = example!($socket, "write_all")]
            pub async fn write_all(&mut self, buf: &[u8]) -> std::io::Result<()> {
                $crate::net::stream::bulk::write_all(self.evented(), buf).await
            }

            /// Does nothing, because written bytes are with the OS already. It exists so that code
            /// for buffered streams works here too.
            ///
            /// # Errors
            ///
            /// Returns no error.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no readiness event is lost.
            #[doc = example!($socket, "flush")]
            pub async fn flush(&mut self) -> std::io::Result<()> {
                $crate::net::at_once::flush().await
            }

            /// Writes as much of `buf` as the OS takes without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
            #[doc = example!($socket, "try_write")]
            pub fn try_write(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().try_send(buf)
            }

            /// Writes as much of several buffers as the OS takes in one call, without waiting.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
            #[doc = example!($socket, "try_write_vectored")]
            pub fn try_write_vectored(&self, bufs: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                self.evented().try_send_vectored(bufs)
            }
        }
    };
}

/// Gives `$kind`, which has a method `end_writing`, a `shutdown` that may be awaited.
macro_rules! stream_shutdown_method {
    ($kind:ty, $socket:literal) => {
        impl $kind {
            /// Ends the writing direction: the peer reads the end of the stream after all written
            /// bytes.
            ///
            /// Ending it again, or after the connection has ended, is no error.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the shutdown fails.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, the writing direction is still open.
            #[doc = example!($socket, "shutdown")]
            pub async fn shutdown(&mut self) -> std::io::Result<()> {
                $crate::net::at_once::at_once(|| self.end_writing()).await
            }
        }
    };
}

pub(in crate::net) use {stream_peek_methods, stream_read_methods, stream_shutdown_method, stream_write_methods};
