//! Waiting for readiness and operations of the caller's own: what every socket and pipe has,
//! written once.

/// Methods of whatever can become readable.
macro_rules! readable_methods {
    ($kind:ty) => {
        impl $kind {
            /// Waits until a read is worth trying. The read may still answer `WouldBlock`.
            ///
            /// Together with `try_read` it waits without holding a buffer, and through a shared
            /// reference:
            ///
            /// ```
            /// # use wsrt_reactor::net::{TcpListener, TcpStream};
            /// use std::io::{self, ErrorKind};
            ///
            /// async fn read_some(stream: &TcpStream) -> io::Result<Vec<u8>> {
            ///     loop {
            ///         stream.readable().await?;
            ///         let mut buf = vec![0; 4096];
            ///         match stream.try_read(&mut buf) {
            ///             Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            ///             outcome => return outcome.map(|count| buf[..count].to_vec()),
            ///         }
            ///     }
            /// }
            /// # wsrt_reactor_testing::run(async {
            /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
            /// # let mut client = TcpStream::connect(listener.local_addr()?).await?;
            /// # let (stream, _) = listener.accept().await?;
            /// # client.write_all(b"some").await?;
            /// assert_eq!(read_some(&stream).await?, b"some");
            /// # io::Result::Ok(()) }).unwrap();
            /// ```
            ///
            /// # Errors
            ///
            /// That the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing is lost.
            pub async fn readable(&self) -> std::io::Result<()> {
                self.evented().ready($crate::Interest::READABLE).await.map(drop)
            }
        }
    };
}

/// Methods of whatever can become writable.
macro_rules! writable_methods {
    ($kind:ty) => {
        impl $kind {
            /// Waits until a write is worth trying. The write may still answer `WouldBlock`.
            ///
            /// # Errors
            ///
            /// That the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing is lost.
            pub async fn writable(&self) -> std::io::Result<()> {
                self.evented().ready($crate::Interest::WRITABLE).await.map(drop)
            }
        }
    };
}

/// Methods of everything.
macro_rules! ready_methods {
    ($kind:ty) => {
        impl $kind {
            /// Waits until one of the directions in `interest` is worth trying, and tells which.
            ///
            /// # Errors
            ///
            /// That the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, nothing is lost.
            pub async fn ready(&self, interest: $crate::Interest) -> std::io::Result<$crate::Ready> {
                self.evented().ready(interest).await
            }

            /// Runs an operation of the caller's own on the socket, once, if it is worth trying;
            /// `WouldBlock` otherwise, without running it.
            ///
            /// When `operation` answers `WouldBlock`, the directions in `interest` count as drained
            /// until the next event. So it must answer that only if the system did.
            ///
            /// # Errors
            ///
            /// What `operation` answers; `WouldBlock`; or that the runtime was shut down.
            pub fn try_io<R>(
                &self,
                interest: $crate::Interest,
                operation: impl FnOnce() -> std::io::Result<R>,
            ) -> std::io::Result<R> {
                self.evented().try_io(interest, |socket| socket.try_io(operation))
            }

            /// Runs an operation of the caller's own on the socket until it answers anything but
            /// `WouldBlock`, waiting in between.
            ///
            /// [`try_io`](Self::try_io) says what `operation` must keep to.
            ///
            /// # Errors
            ///
            /// What `operation` answers, or that the runtime was shut down.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, `operation` has not succeeded: nothing is lost.
            pub async fn async_io<R>(
                &self,
                interest: $crate::Interest,
                mut operation: impl FnMut() -> std::io::Result<R>,
            ) -> std::io::Result<R> {
                self.evented().io(interest, |source| source.try_io(&mut operation)).await
            }
        }
    };
}

for_each_reader!(readable_methods);
for_each_writer!(writable_methods);
for_each_datagram!(readable_methods);
for_each_datagram!(writable_methods);
for_each_kind!(ready_methods);
