//! What comes between a connection and its first byte of HTTP.

use std::future::Future;
use std::io;

use hyper::rt::{Read, Write};

/// Turns what a listener accepts into what HTTP is spoken over: see
/// [`Serve::with_handshake`](super::Serve::with_handshake).
///
/// Any closure that takes the stream and returns a future of an `io::Result` is one; so there is
/// hardly a reason to implement it.
pub trait Handshake<Stream>: Clone + Send + 'static {
    /// What HTTP is spoken over.
    type Io: Read + Write + Unpin + Send + 'static;

    /// Does the handshake, within a task of its own for each connection.
    ///
    /// # Errors
    ///
    /// When there is nothing to be done but to close the connection.
    fn shake_hands(self, stream: Stream) -> impl Future<Output = io::Result<Self::Io>> + Send;
}

impl<Stream, F, Shaking, Io> Handshake<Stream> for F
where
    Stream: Send + 'static,
    F: FnOnce(Stream) -> Shaking + Clone + Send + 'static,
    Shaking: Future<Output = io::Result<Io>> + Send,
    Io: Read + Write + Unpin + Send + 'static,
{
    type Io = Io;

    fn shake_hands(self, stream: Stream) -> impl Future<Output = io::Result<Io>> + Send {
        self(stream)
    }
}

/// The handshake of those who have none: HTTP begins with the connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHandshake;

impl<Stream> Handshake<Stream> for NoHandshake
where
    Stream: Read + Write + Unpin + Send + 'static,
{
    type Io = Stream;

    async fn shake_hands(self, stream: Stream) -> io::Result<Stream> {
        Ok(stream)
    }
}
