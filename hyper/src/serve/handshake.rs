//! `Handshake`: the step between accepting a connection and its first byte of HTTP.

use std::future::Future;
use std::io;

use hyper::http::Extensions;
use hyper::rt::{Read, Write};

/// Converts an accepted stream into the stream that carries HTTP, for example by a TLS handshake.
/// Passed to [`Serve::with_handshake`](super::Serve::with_handshake).
///
/// This trait is implemented for any closure that takes the stream and returns a future of an
/// `io::Result`, so implementing it by hand is rarely necessary.
pub trait Handshake<Stream>: Clone + Send + 'static {
    /// The type of the stream that carries HTTP after the handshake.
    type Io: Read + Write + Unpin + Send + 'static;

    /// Performs the handshake on `stream`, in the connection's own task, and returns the stream
    /// that carries HTTP.
    ///
    /// # Errors
    ///
    /// Returns an error if the handshake fails. The server then closes the connection.
    fn shake_hands(self, stream: Stream) -> impl Future<Output = io::Result<Self::Io>> + Send;

    /// Performs the handshake on `stream`, and additionally returns extensions to add to each
    /// request of the connection. The server calls this method; the default implementation calls
    /// [`shake_hands`](Self::shake_hands) and adds no extensions.
    ///
    /// # Errors
    ///
    /// Returns an error if the handshake fails. The server then closes the connection.
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

/// The default handshake, which does nothing: HTTP begins with the first byte of the connection.
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
