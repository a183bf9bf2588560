//! The parts of a runtime that hyper needs, by each runtime's own means.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::rt::bounds::Http2ServerConnExec;
use hyper::rt::{Read, Timer, Write};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::server::TlsStream;
use wsrt_hyper::{Connector, WsrtExecutor, WsrtTimer};

use super::hello::Answer;
use crate::runtimes::{Runtime, Tokio, Wsrt};

/// A runtime that hyper and rustls run on.
pub(super) trait ForHyper: Runtime<Stream: AsyncRead + AsyncWrite + Unpin> {
    type Io: Read + Write + Send + Unpin + 'static;
    type Connector: Connect + Clone + Send + Sync + 'static;
    type Executor: Http2ServerConnExec<Answer, Full<Bytes>> + Send + 'static;
    type Timer: Timer + Send + Sync + 'static;

    fn io(stream: Self::Stream) -> Self::Io;

    fn tls(stream: TlsStream<Self::Stream>) -> impl Read + Write + Send + Unpin + 'static;

    /// Returns a pooled client, whose requests leave at once too.
    fn client() -> Client<Self::Connector, Incoming>;

    fn executor() -> Self::Executor;

    fn timer() -> Self::Timer;
}

impl ForHyper for Wsrt {
    type Io = Self::Stream;
    type Connector = Connector;
    type Executor = WsrtExecutor;
    type Timer = WsrtTimer;

    fn io(stream: Self::Stream) -> Self::Io {
        stream
    }

    fn tls(stream: TlsStream<Self::Stream>) -> impl Read + Write + Send + Unpin + 'static {
        wsrt_hyper::TokioIo::new(stream)
    }

    fn client() -> Client<Connector, Incoming> {
        wsrt_hyper::client().build(Connector::new())
    }

    fn executor() -> WsrtExecutor {
        WsrtExecutor
    }

    fn timer() -> WsrtTimer {
        WsrtTimer
    }
}

impl ForHyper for Tokio {
    type Io = TokioIo<Self::Stream>;
    type Connector = HttpConnector;
    type Executor = TokioExecutor;
    type Timer = TokioTimer;

    fn io(stream: Self::Stream) -> Self::Io {
        TokioIo::new(stream)
    }

    fn tls(stream: TlsStream<Self::Stream>) -> impl Read + Write + Send + Unpin + 'static {
        TokioIo::new(stream)
    }

    fn client() -> Client<HttpConnector, Incoming> {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Client::builder(TokioExecutor::new()).timer(TokioTimer::new()).pool_timer(TokioTimer::new()).build(connector)
    }

    fn executor() -> TokioExecutor {
        TokioExecutor::new()
    }

    fn timer() -> TokioTimer {
        TokioTimer::new()
    }
}
