//! Opening a Unix connection.

use super::stream::UnixStream;
use super::{SocketAddr, address};
use crate::budget;
use crate::context;
use crate::context::ReactorContext;
use crate::interest::Interest;
use crate::net::kinds::{self, UnconnectedUnix};
use std::io;
use std::path::Path;

impl UnixStream {
    /// Opens a connection to the Unix listener bound to `path`. On Linux, a path that begins with a
    /// zero byte is a name in the abstract namespace.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or `InvalidInput` if `path` cannot be an address, for
    /// example because it is too long.
    ///
    /// On Linux, the error is `WouldBlock` if the listener's queue of connections is full. The OS
    /// does not report when the queue has room again, so try again later.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, the connection attempt is abandoned and the
    /// socket is closed.
    pub async fn connect<P: AsRef<Path>>(path: P) -> io::Result<UnixStream> {
        let context = context::required("UnixStream::connect");
        let address = address::of_path(path.as_ref(), "connect to")?;
        Self::connect_in(&address, &context).await
    }

    /// Opens a connection to the Unix listener bound to `address`, which may be a name in Linux's
    /// abstract namespace.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`connect`](UnixStream::connect).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, the connection attempt is abandoned and the
    /// socket is closed.
    pub async fn connect_addr(address: &SocketAddr) -> io::Result<UnixStream> {
        let context = context::required("UnixStream::connect_addr");
        Self::connect_in(address, &context).await
    }

    async fn connect_in(address: &SocketAddr, context: &ReactorContext) -> io::Result<UnixStream> {
        budget::consume().await;
        Self::finish_connecting(kinds::UnixStream::connect_addr(address.as_std())?, context).await
    }

    /// Connects a socket, whether or not it is already bound.
    pub(super) async fn connect_socket(
        socket: UnconnectedUnix,
        address: &SocketAddr,
        context: &ReactorContext,
    ) -> io::Result<UnixStream> {
        budget::consume().await;
        Self::finish_connecting(socket.connect(address)?, context).await
    }

    async fn finish_connecting(socket: kinds::UnixStream, context: &ReactorContext) -> io::Result<UnixStream> {
        let stream = Self::registered(socket, context.handle())?;
        stream.evented().io(Interest::WRITABLE, kinds::outcome_of_connect).await?;
        Ok(stream)
    }
}
