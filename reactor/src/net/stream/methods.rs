//! The methods of byte streams: connections, their halves, and the ends of pipes.
//!
//! The methods are macros because they are inherent methods with documentation and examples for
//! each type: a trait would have to be imported, and its methods would only repeat the methods of
//! the I/O traits. The names of the examples are names of files in `docs/sockets`.

/// Gives `$kind`, whose `evented` is an `Evented<impl Receive>`, the methods to read. `$end` tells
/// when its stream has ended.
macro_rules! stream_read_methods {
    ($kind:ty, $socket:literal, $end:literal) => {
        impl $kind {
            /// Reads the bytes that are available into `buf`, and returns the number of bytes read.
            /// Waits if no bytes are available.
            ///
            #[doc = concat!("A return value of zero means that ", $end, ", or that `buf` is empty.")]
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

            /// Reads into several buffers, filling each buffer before the next, and otherwise
            /// behaves like [`read`](Self::read).
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

            /// Reads exactly as many bytes as fill `buf`, waiting for more bytes as needed, and
            /// returns the length of `buf`.
            ///
            /// # Errors
            ///
            #[doc = concat!("Returns `UnexpectedEof` if ", $end, " first, the OS error, or an error if")]
            /// the runtime has been shut down. In each case `buf` then holds the bytes read before
            /// the error; their number is unspecified.
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
            /// Returns the OS error, or an error if the runtime has been shut down. The bytes read
            /// before the error remain appended to `buf`.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, `buf` holds the bytes read so far, and
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
            /// Returns `InvalidData` if the bytes are not valid UTF-8, the OS error, or an error if
            /// the runtime has been shut down. In each case `buf` is unchanged, and the bytes read
            /// are lost.
            ///
            /// # Cancel safety
            ///
            /// This method is not cancel safe: if the future is dropped before completion, the
            /// bytes read so far are lost.
            #[doc = example!($socket, "read_to_string")]
            pub async fn read_to_string(&mut self, buf: &mut String) -> std::io::Result<usize> {
                $crate::net::stream::bulk::read_to_string(self.evented(), buf).await
            }

            /// Tries to read the bytes that are available into `buf` without waiting, and returns
            /// the number of bytes read.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no bytes are available, or the OS error.
            #[doc = example!($socket, "try_read")]
            pub fn try_read(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                self.evented().try_receive(buf)
            }

            /// Tries to read into the first contiguous free part of `buf` without waiting, and
            /// returns the number of bytes read. For a `Vec` or a `BytesMut`, the free part is the
            /// spare capacity.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no bytes are available, or the OS error.
            #[doc = example!($socket, "try_read_buf")]
            pub fn try_read_buf<B: bytes::BufMut>(&self, buf: &mut B) -> std::io::Result<usize> {
                $crate::net::stream::bulk::try_read_buf(self.evented(), buf)
            }

            /// Tries to read the bytes that are available into several buffers without waiting, and
            /// returns the total number of bytes read.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if no bytes are available, or the OS error.
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
            /// Copies the bytes that are available into `buf` without consuming them, and returns
            /// their number. The next read returns the same bytes again. Waits if no bytes are
            /// available.
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

            /// Attempts to peek at the bytes that are available, as [`peek`](Self::peek) does. Adds
            /// them to the first contiguous free part of `buf`, for example a `ReadBuf` or a `&mut
            /// [MaybeUninit<u8>]`, and returns their number. If no bytes are available, returns
            /// `Poll::Pending` and registers the current task to be woken. Any number of tasks may
            /// poll concurrently.
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
            /// Writes as many bytes of `buf` as the OS takes, and returns the number of bytes
            /// written. Waits if the OS takes none.
            ///
            #[doc = concat!("A successful return means that the OS has taken the bytes, not that they have been ", $received, ".")]
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

            /// Writes as many bytes as the OS takes in one call from several buffers, in order, and
            /// otherwise behaves like [`write`](Self::write).
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

            /// Writes all of `buf`, waiting for the OS to take more bytes as needed.
            ///
            /// # Errors
            ///
            /// Returns the OS error, or an error if the runtime has been shut down. Part of `buf`
            /// may already have been written.
            ///
            /// # Cancel safety
            ///
            /// This method is not cancel safe: if the future is dropped before completion, part of
            /// `buf` may already have been written.
            #[doc = example!($socket, "write_all")]
            pub async fn write_all(&mut self, buf: &[u8]) -> std::io::Result<()> {
                $crate::net::stream::bulk::write_all(self.evented(), buf).await
            }

            /// Does nothing, because bytes that have been written are already with the OS. This
            /// method exists so that code written for buffered streams also works with this type.
            ///
            /// # Errors
            ///
            /// Never returns an error.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before completion, no bytes are lost.
            #[doc = example!($socket, "flush")]
            pub async fn flush(&mut self) -> std::io::Result<()> {
                $crate::net::at_once::flush().await
            }

            /// Tries to write as many bytes of `buf` as the OS takes without waiting, and returns
            /// the number of bytes written.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if the OS cannot take any bytes at the moment, or the OS error.
            #[doc = example!($socket, "try_write")]
            pub fn try_write(&self, buf: &[u8]) -> std::io::Result<usize> {
                self.evented().try_send(buf)
            }

            /// Tries to write as many bytes as the OS takes in one call from several buffers, in
            /// order, without waiting. Returns the total number of bytes written.
            ///
            /// # Errors
            ///
            /// Returns `WouldBlock` if the OS cannot take any bytes at the moment, or the OS error.
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
            /// Shuts down the writing direction: the peer reads all bytes written before, and then
            /// the end of the stream.
            ///
            /// Calling `shutdown` again, or after the connection has ended, is not an error.
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
