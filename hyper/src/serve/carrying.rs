//! `Carrying`: a handshake whose results are added to each request of the connection.

use std::future::Future;
use std::io;

use hyper::http::Extensions;

use super::Handshake;

/// A handshake that adds extensions to every request on a connection. Performs the handshake `H`,
/// then calls `F` to create the extensions. It is a type parameter of the server that
/// [`Serve::with_connection_extensions`](super::Serve::with_connection_extensions) returns.
#[derive(Debug, Clone, Copy)]
pub struct Carrying<H, F> {
    pub(super) handshake: H,
    pub(super) extend: F,
}

impl<Stream, H, F> Handshake<Stream> for Carrying<H, F>
where
    H: Handshake<Stream>,
    F: Fn(&H::Io, &mut Extensions) + Clone + Send + 'static,
{
    type Io = H::Io;

    fn shake_hands(self, stream: Stream) -> impl Future<Output = io::Result<H::Io>> + Send {
        self.handshake.shake_hands(stream)
    }

    fn shake_hands_and_extend(self, stream: Stream) -> impl Future<Output = io::Result<(H::Io, Extensions)>> + Send {
        let Self { handshake, extend } = self;
        let shaking = handshake.shake_hands_and_extend(stream);
        async move {
            let (io, mut extensions) = shaking.await?;
            extend(&io, &mut extensions);
            Ok((io, extensions))
        }
    }
}
