//! The connections that a listener accepts.

use std::io;

use wsrt_reactor::net::{TcpListener, TcpStream};
#[cfg(unix)]
use wsrt_reactor::net::{UnixListener, UnixStream};

wrap! {
    /// Streams the connections that a [`TcpListener`] accepts. It never ends, and continues after
    /// an error.
    ///
    /// # Errors
    ///
    /// Its items are the errors of [`TcpListener::accept`].
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
    /// Streams the connections that a [`UnixListener`] accepts. It never ends, and continues after
    /// an error. On Unix only.
    ///
    /// # Errors
    ///
    /// Its items are the errors of [`UnixListener::accept`].
    UnixListenerStream, UnixListener => io::Result<UnixStream>,
    |listener, cx| listener.poll_accept(cx).map(|accepted| Some(accepted.map(|(stream, _)| stream)))
}
