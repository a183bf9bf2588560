//! `Handshake`: the step between accepting a connection and its first byte of HTTP.

use std::future::Future;
use std::io;

use hyper::http::Extensions;
use hyper::rt::{Read, Write};

/// Converts an accepted stream into the stream that carries HTTP: see
/// [`Serve::with_handshake`](super::Serve::with_handshake).
///
/// Any closure that takes the stream and returns a future of an `io::Result` implements it, so an
/// implementation by hand is rarely needed.
pub trait Handshake<Stream>: Clone + Send + 'static {
    /// The stream that carries HTTP.
    type Io: Read + Write + Unpin + Send + 'static;

    /// Does the handshake, in the connection's own task.
    ///
    /// # Errors
    ///
    /// Returns an error when the handshake fails: the server then closes the connection.
    fn shake_hands(self, stream: Stream) -> impl Future<Output = io::Result<Self::Io>> + Send;

    /// Does the handshake, and returns the extensions that each request of the connection carries,
    /// too. The server calls this one; by default it adds none.
    ///
    /// # Errors
    ///
    /// Returns an error when the handshake fails: the server then closes the connection.
    fn shake_hands_and_extend(self, stream: Stream) -> impl Future<Output = io::Result<(Self::Io, Extensions)>> + Send {
        let shaking = self.shake_hands(stream);
        async move { Ok((shaking.await?, Extensions::new())) }
    }
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

/// Does nothing: HTTP begins with the first byte of the connection. The default handshake.
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
