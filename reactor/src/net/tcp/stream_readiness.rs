//! Waiting until a connected socket is ready, and operations of the caller's own on it.

use super::stream::TcpStream;
use crate::interest::Interest;
#[cfg(unix)]
use crate::net::kinds;
use crate::ready::Ready;
use std::io;
use std::task::{Context, Poll};

impl TcpStream {
    /// Waits until a read is worth trying. The read may still return `WouldBlock`.
    ///
    /// Together with `try_read` it waits without holding a buffer, and through a shared reference:
    ///
    /// ```
    /// # use wsrt_reactor as wsrt;
    /// # use wsrt::net::{TcpListener, TcpStream};
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
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    pub async fn readable(&self) -> io::Result<()> {
        self.evented().ready(Interest::READABLE).await.map(drop)
    }

    /// Waits until a write is worth trying. The write may still return `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("tcp_writer", "writable")]
    pub async fn writable(&self) -> io::Result<()> {
        self.evented().ready(Interest::WRITABLE).await.map(drop)
    }

    /// Polls [`readable`](Self::readable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::READABLE, cx).map_ok(drop)
    }

    /// Polls [`writable`](Self::writable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::WRITABLE, cx).map_ok(drop)
    }

    /// Waits until one of the directions in `interest` is worth trying, and returns the conditions
    /// that hold.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("tcp_reader", "ready_to_read")]
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.evented().ready(interest).await
    }

    /// Runs the caller's operation on the socket, once, if it is worth trying; otherwise
    /// returns `WouldBlock` without running it.
    ///
    /// If `operation` returns `WouldBlock`, the directions in `interest` count as drained until the
    /// next event. So it must return that only if the OS did.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, `WouldBlock`, or an error if the runtime was shut down.
    pub fn try_io<R>(&self, interest: Interest, operation: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.evented().try_io(interest, |socket| socket.try_io(operation))
    }

    /// Runs the caller's operation on the socket until it returns anything but
    /// `WouldBlock`, waiting in between.
    ///
    /// `operation` must keep to the rule of [`try_io`](Self::try_io).
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `operation` has not succeeded: nothing is lost.
    pub async fn async_io<R>(&self, interest: Interest, mut operation: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        self.evented().io(interest, |socket| socket.try_io(&mut operation)).await
    }

    /// Returns whether urgent data has ever been reported. Not for users: it is for code that moves
    /// bytes in another way than by reading, and so does not step over the urgent mark.
    #[doc(hidden)]
    #[must_use]
    pub fn has_seen_urgent(&self) -> bool {
        self.evented().has_seen_urgent()
    }

    /// Returns whether a simulation has lent this stream: then its descriptor belongs to another
    /// socket, without its bytes. Not for users: it is for code that moves bytes by the descriptor.
    #[cfg(unix)]
    #[doc(hidden)]
    #[must_use]
    pub fn is_lent(&self) -> bool {
        kinds::is_lent(self.socket())
    }
}
