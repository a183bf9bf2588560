//! The parts of a runtime that hyper needs, by each runtime's own means.

use std::io;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::rt::bounds::Http2ServerConnExec;
use hyper::rt::{Read, Timer, Write};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use wsrt_hyper::{WsrtExecutor, WsrtTimer};

use super::hello::Answer;
use crate::runtimes::{Runtime, Tokio, Wsrt};

/// A runtime that hyper runs on.
pub(super) trait ForHyper: Runtime {
    type Io: Read + Write + Send + Unpin + 'static;
    type Executor: Http2ServerConnExec<Answer, Full<Bytes>> + Send + 'static;
    type Timer: Timer + Send + Sync + 'static;

    /// Answers leave as soon as they are written.
    fn io(stream: Self::Stream) -> io::Result<Self::Io>;

    fn executor() -> Self::Executor;

    fn timer() -> Self::Timer;
}

impl ForHyper for Wsrt {
    type Io = Self::Stream;
    type Executor = WsrtExecutor;
    type Timer = WsrtTimer;

    fn io(stream: Self::Stream) -> io::Result<Self::Io> {
        stream.set_nodelay(true)?;
        Ok(stream)
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
    type Executor = TokioExecutor;
    type Timer = TokioTimer;

    fn io(stream: Self::Stream) -> io::Result<Self::Io> {
        stream.set_nodelay(true)?;
        Ok(TokioIo::new(stream))
    }

    fn executor() -> TokioExecutor {
        TokioExecutor::new()
    }

    fn timer() -> TokioTimer {
        TokioTimer::new()
    }
}
