//! The two directions of a stream as separate values: borrowed halves for use within one task, and
//! owned halves for two tasks.
//!
//! TCP and Unix streams have halves of the same names in their own modules, so a macro generates
//! all eight types, except for the methods in `methods.rs`.

/// Makes the halves of `$stream`, which owns a `$socket`, and whose addresses are `$address`.
/// `$name` is what users call such streams; the other words are for the examples.
macro_rules! halves {
    (
        $stream:ident, $socket:ty, $address:ty, $name:literal,
        $reader:literal, $writer:literal, $owned_reader:literal, $owned_writer:literal,
        $reader_addresses:literal, $writer_addresses:literal
    ) => {
        #[doc = concat!("The borrowed read half of a [`", stringify!($stream), "`], created by")]
        #[doc = concat!("[`", stringify!($stream), "::split`].")]
        #[derive(Debug)]
        pub struct ReadHalf<'a>(&'a $stream);

        #[doc = concat!("The borrowed write half of a [`", stringify!($stream), "`], created by")]
        #[doc = concat!("[`", stringify!($stream), "::split`].")]
        ///
        /// Dropping this half leaves the stream open in both directions.
        #[derive(Debug)]
        pub struct WriteHalf<'a>(&'a $stream);

        #[doc = concat!("The owned read half of a [`", stringify!($stream), "`], created by")]
        #[doc = concat!("[`", stringify!($stream), "::into_split`].")]
        #[derive(Debug)]
        pub struct OwnedReadHalf {
            stream: std::sync::Arc<$stream>,
        }

        #[doc = concat!("The owned write half of a [`", stringify!($stream), "`], created by")]
        #[doc = concat!("[`", stringify!($stream), "::into_split`].")]
        ///
        /// Dropping this half shuts down the writing direction, so that the peer reads the end of
        /// the stream. The other half can continue to read. Call [`forget`](Self::forget) to leave
        /// the writing direction open.
        #[derive(Debug)]
        pub struct OwnedWriteHalf {
            stream: std::sync::Arc<$stream>,
            ends_on_drop: bool,
        }

        /// The error returned by `reunite` if the two halves come from different streams. Contains
        /// both halves.
        #[derive(Debug)]
        pub struct ReuniteError(
            /// The read half that was passed to `reunite`.
            pub OwnedReadHalf,
            /// The write half that was passed to `reunite`.
            pub OwnedWriteHalf,
        );

        impl std::fmt::Display for ReuniteError {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!("the two halves come from different ", $name, " and cannot be put together"))
            }
        }

        impl std::error::Error for ReuniteError {}

        /// The exclusive borrow of the caller keeps the stream to one reader and one writer.
        fn split(stream: &mut $stream) -> (ReadHalf<'_>, WriteHalf<'_>) {
            (ReadHalf(stream), WriteHalf(stream))
        }

        fn split_owned(stream: $stream) -> (OwnedReadHalf, OwnedWriteHalf) {
            let stream = std::sync::Arc::new(stream);
            let write = OwnedWriteHalf { stream: std::sync::Arc::clone(&stream), ends_on_drop: true };
            (OwnedReadHalf { stream }, write)
        }

        impl OwnedReadHalf {
            /// Puts the two halves of a stream back together and returns the stream.
            ///
            /// # Errors
            ///
            /// Returns a [`ReuniteError`] with both halves if they come from different streams.
            #[doc = example!($owned_reader, "reunite_reader")]
            pub fn reunite(self, write: OwnedWriteHalf) -> Result<$stream, ReuniteError> {
                if !std::sync::Arc::ptr_eq(&self.stream, &write.stream) {
                    return Err(ReuniteError(self, write));
                }
                write.forget();
                Ok(std::sync::Arc::into_inner(self.stream)
                    .expect("two halves hold a stream, and the other one is gone"))
            }
        }

        impl OwnedWriteHalf {
            /// Puts the two halves of a stream back together and returns the stream.
            ///
            /// # Errors
            ///
            /// Returns a [`ReuniteError`] with both halves if they come from different streams.
            #[doc = example!($owned_writer, "reunite_writer")]
            pub fn reunite(self, read: OwnedReadHalf) -> Result<$stream, ReuniteError> {
                read.reunite(self)
            }

            /// Drops this half without shutting down the writing direction. The connection is
            /// closed when the other half is dropped.
            #[doc = example!($owned_writer, "forget")]
            pub fn forget(mut self) {
                self.ends_on_drop = false;
            }

            pub(in crate::net) fn end_writing(&mut self) -> std::io::Result<()> {
                let outcome = self.stream.end_writing();
                self.ends_on_drop &= outcome.is_err();
                outcome
            }
        }

        impl Drop for OwnedWriteHalf {
            fn drop(&mut self) {
                if self.ends_on_drop {
                    // It fails if the connection has ended: then there is nothing to end.
                    let _ = self.stream.end_writing();
                }
            }
        }

        impl WriteHalf<'_> {
            pub(in crate::net) fn end_writing(&self) -> std::io::Result<()> {
                self.0.end_writing()
            }
        }

        impl AsRef<$stream> for ReadHalf<'_> {
            fn as_ref(&self) -> &$stream {
                self.0
            }
        }

        impl AsRef<$stream> for WriteHalf<'_> {
            fn as_ref(&self) -> &$stream {
                self.0
            }
        }

        impl AsRef<$stream> for OwnedReadHalf {
            fn as_ref(&self) -> &$stream {
                &self.stream
            }
        }

        impl AsRef<$stream> for OwnedWriteHalf {
            fn as_ref(&self) -> &$stream {
                &self.stream
            }
        }

        $crate::net::stream::halves::half_methods!(ReadHalf<'_>, $socket, $address, $reader, $reader_addresses);
        $crate::net::stream::halves::half_methods!(WriteHalf<'_>, $socket, $address, $writer, $writer_addresses);
        $crate::net::stream::halves::half_methods!(OwnedReadHalf, $socket, $address, $owned_reader, $reader_addresses);
        $crate::net::stream::halves::half_methods!(OwnedWriteHalf, $socket, $address, $owned_writer, $writer_addresses);
        $crate::net::stream::halves::read_half_methods!(ReadHalf<'_>, $reader);
        $crate::net::stream::halves::read_half_methods!(OwnedReadHalf, $owned_reader);
        $crate::net::stream::halves::write_half_methods!(WriteHalf<'_>, $writer);
        $crate::net::stream::halves::write_half_methods!(OwnedWriteHalf, $owned_writer);
    };
}

/// Gives a half, which is an `AsRef` of its stream, what both directions have.
macro_rules! half_methods {
    ($kind:ty, $inner:ty, $address:ty, $socket:literal, $addresses:literal) => {
        impl $kind {
            /// Returns the address of the remote peer.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the address cannot be retrieved.
            #[doc = example!($socket, $addresses)]
            pub fn peer_addr(&self) -> std::io::Result<$address> {
                self.as_ref().peer_addr()
            }

            /// Returns the local address of this socket.
            ///
            /// # Errors
            ///
            /// Returns the OS error if the address cannot be retrieved.
            #[doc = example!($socket, $addresses)]
            pub fn local_addr(&self) -> std::io::Result<$address> {
                self.as_ref().local_addr()
            }

            pub(in crate::net) fn evented(&self) -> &$crate::evented::Evented<$inner> {
                self.as_ref().evented()
            }
        }
    };
}

macro_rules! read_half_methods {
    ($kind:ty, $socket:literal) => {
        $crate::net::stream::methods::stream_read_methods!($kind, $socket, "the peer has ended the stream");
        $crate::net::stream::methods::stream_peek_methods!($kind, $socket);
        $crate::net::waits::wait_methods!($kind, readable, poll_read_ready, READABLE, "read", $socket, "readable");
        $crate::net::waits::operation_methods!($kind, $socket, "ready_to_read");
        $crate::net::stream::reads!($kind);
    };
}

macro_rules! write_half_methods {
    ($kind:ty, $socket:literal) => {
        $crate::net::stream::methods::stream_write_methods!($kind, $socket, "received by the peer");
        $crate::net::stream::methods::stream_shutdown_method!($kind, $socket);
        $crate::net::waits::wait_methods!($kind, writable, poll_write_ready, WRITABLE, "write", $socket, "writable");
        $crate::net::waits::operation_methods!($kind, $socket, "ready_to_write");
        $crate::net::stream::writes!($kind);
    };
}

pub(in crate::net) use {half_methods, halves, read_half_methods, write_half_methods};
