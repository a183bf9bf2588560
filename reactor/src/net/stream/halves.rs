//! The two directions of a stream as values of their own: borrowed, for use within one task, and
//! owned, for two tasks.

/// Makes the halves of `$stream`: `ReadHalf`, `WriteHalf`, `OwnedReadHalf`, `OwnedWriteHalf` and
/// `ReuniteError`, and the stream's methods that split and end it. `$protocol` names it in texts.
macro_rules! halves {
    ($stream:ident, $socket:ty, $protocol:literal) => {
        #[doc = concat!("Reads from a borrowed [`", stringify!($stream), "`]; made by [`", stringify!($stream), "::split`].")]
        #[derive(Debug)]
        pub struct ReadHalf<'a>(&'a $stream);

        #[doc = concat!("Writes to a borrowed [`", stringify!($stream), "`]; made by [`", stringify!($stream), "::split`].")]
        ///
        /// Dropping it leaves the stream open.
        #[derive(Debug)]
        pub struct WriteHalf<'a>(&'a $stream);

        #[doc = concat!("Reads from a [`", stringify!($stream), "`]; made by [`", stringify!($stream), "::into_split`].")]
        #[derive(Debug)]
        pub struct OwnedReadHalf {
            stream: std::sync::Arc<$stream>,
        }

        #[doc = concat!("Writes to a [`", stringify!($stream), "`]; made by [`", stringify!($stream), "::into_split`].")]
        ///
        /// Dropping it ends the writing direction, so that the peer reads the end of the stream,
        /// while the other half goes on reading.
        #[derive(Debug)]
        pub struct OwnedWriteHalf {
            stream: std::sync::Arc<$stream>,
            ends_on_drop: bool,
        }

        impl $stream {
            /// Lends the two directions out separately, to be used at the same time within one
            /// task.
            ///
            /// Dropping the halves changes nothing: the stream stays open in both directions.
            // The exclusive borrow keeps it to one reader and one writer.
            pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
                (ReadHalf(self), WriteHalf(self))
            }

            /// Splits it in two halves that can go to different tasks.
            ///
            /// Dropping the write half ends the stream for the peer; see
            /// [`OwnedWriteHalf::forget`].
            #[must_use]
            pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
                let stream = std::sync::Arc::new(self);
                (OwnedReadHalf { stream: std::sync::Arc::clone(&stream) }, OwnedWriteHalf { stream, ends_on_drop: true })
            }

            /// Ends one or both directions at once.
            ///
            /// Unlike [`shutdown`](Self::shutdown) it takes any direction; ending one that the peer
            /// has ended meanwhile is an error on some systems.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn shutdown_with(&self, how: std::net::Shutdown) -> std::io::Result<()> {
                self.socket().shutdown(how)
            }

            pub(crate) fn end_writing(&self) -> std::io::Result<()> {
                $crate::net::stream::end_of_socket(|how| self.shutdown_with(how))
            }
        }

        impl ReadHalf<'_> {
            pub(crate) fn evented(&self) -> &$crate::Evented<$socket> {
                self.0.evented()
            }
        }

        impl WriteHalf<'_> {
            pub(crate) fn evented(&self) -> &$crate::Evented<$socket> {
                self.0.evented()
            }

            pub(crate) fn end_writing(&mut self) -> std::io::Result<()> {
                self.0.end_writing()
            }
        }

        impl OwnedReadHalf {
            /// Puts the stream together again.
            ///
            /// # Errors
            ///
            /// When the halves come from different streams; the error holds both.
            pub fn reunite(self, write: OwnedWriteHalf) -> Result<$stream, ReuniteError> {
                if !std::sync::Arc::ptr_eq(&self.stream, &write.stream) {
                    return Err(ReuniteError(self, write));
                }
                write.forget();
                Ok(std::sync::Arc::into_inner(self.stream)
                    .expect("two halves hold a stream, and the other one is gone"))
            }

            pub(crate) fn evented(&self) -> &$crate::Evented<$socket> {
                self.stream.evented()
            }
        }

        impl OwnedWriteHalf {
            /// Puts the stream together again.
            ///
            /// # Errors
            ///
            /// When the halves come from different streams; the error holds both.
            pub fn reunite(self, read: OwnedReadHalf) -> Result<$stream, ReuniteError> {
                read.reunite(self)
            }

            /// Drops it without ending the writing direction. The connection closes when the other
            /// half is dropped.
            pub fn forget(mut self) {
                self.ends_on_drop = false;
            }

            pub(crate) fn evented(&self) -> &$crate::Evented<$socket> {
                self.stream.evented()
            }

            pub(crate) fn end_writing(&mut self) -> std::io::Result<()> {
                let outcome = self.stream.end_writing();
                self.ends_on_drop &= outcome.is_err();
                outcome
            }
        }

        impl Drop for OwnedWriteHalf {
            fn drop(&mut self) {
                if self.ends_on_drop {
                    // Fails when the connection has ended: then there is nothing to end.
                    let _ = self.stream.end_writing();
                }
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

        /// Says that two halves do not belong together, and gives them back.
        #[derive(Debug)]
        pub struct ReuniteError(
            /// The reading half.
            pub OwnedReadHalf,
            /// The writing half.
            pub OwnedWriteHalf,
        );

        impl std::fmt::Display for ReuniteError {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(
                    "the two halves come from different ",
                    $protocol,
                    " streams and cannot be put together"
                ))
            }
        }

        impl std::error::Error for ReuniteError {}
    };
}

pub(in crate::net) use halves;
