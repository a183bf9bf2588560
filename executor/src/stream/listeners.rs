//! Streams of the connections accepted by a listener.

use std::io;

use wsrt_reactor::net::{TcpListener, TcpStream};
#[cfg(unix)]
use wsrt_reactor::net::{UnixListener, UnixStream};

wrap! {
    /// A stream that yields the connections accepted by a [`TcpListener`]. The stream never ends,
    /// and continues after errors.
    ///
    /// # Errors
    ///
    /// Yields the errors of [`TcpListener::accept`] as items.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::pin::Pin;
    /// use wsrt::net::{TcpListener, TcpStream};
    /// use wsrt::stream::{Stream, TcpListenerStream};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let client = TcpStream::connect(listener.local_addr()?).await?;
    /// let mut connections = TcpListenerStream::new(listener);
    /// let server = poll_fn(|cx| Pin::new(&mut connections).poll_next(cx)).await.expect("it never ends")?;
    /// assert_eq!(server.peer_addr()?, client.local_addr()?);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    TcpListenerStream, TcpListener => io::Result<TcpStream>,
    |listener, cx| listener.poll_accept(cx).map(|accepted| Some(accepted.map(|(stream, _)| stream)))
}

#[cfg(unix)]
wrap! {
    /// A stream that yields the connections accepted by a [`UnixListener`]. The stream never ends,
    /// and continues after errors. Available on Unix only.
    ///
    /// # Errors
    ///
    /// Yields the errors of [`UnixListener::accept`] as items.
    UnixListenerStream, UnixListener => io::Result<UnixStream>,
    |listener, cx| listener.poll_accept(cx).map(|accepted| Some(accepted.map(|(stream, _)| stream)))
}
