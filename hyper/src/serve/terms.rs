//! `Terms`: the settings that all connections of a server share, and their defaults.

use std::time::Duration;

use super::HttpBuilder;
use super::connection_limit::usual_limit;
use super::time_limits::Limits;
use crate::{WsrtExecutor, WsrtTimer};

/// How long a client may take for the handshake, and then for the headers of its first request. The
/// limit equals hyper's own limit for the headers of later requests.
const FIRST_REQUEST: Duration = Duration::from_secs(30);
/// How long an HTTP/2 connection may be silent before a ping is sent. If the client does not answer
/// within hyper's 20 seconds, the connection is closed: a client whose machine has crashed does not
/// close its connection.
const SILENCE: Duration = Duration::from_secs(60);

/// How long a write may wait for the client to take any bytes, and an answer for its flow-control
/// windows.
const WRITE: Duration = Duration::from_secs(60);
/// How long the service may wait for the client to send more of a request's body.
const BODY: Duration = Duration::from_secs(60);
/// How long a connection may have no open request. The limit is longer than the time for which
/// clients keep idle connections (90 s in hyper-util's pool), so that as a rule the client closes.
const IDLE: Duration = Duration::from_secs(180);
/// How long open requests may take once the server shuts down: the same time that Kubernetes waits
/// in total by default.
const SHUTDOWN: Duration = Duration::from_secs(30);

/// How many bytes of an answer are buffered for an HTTP/2 stream whose client takes nothing. This
/// is a sixth of hyper's default, because a client may open 200 streams.
const STREAM_BUFFER: usize = 64 << 10;

/// How many unsent bytes the OS may buffer for a connection: as many as a connection writes before
/// other tasks have their turn.
const UNSENT: u32 = 128 << 10;

/// The settings that all connections of a server share.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) http: HttpBuilder,
    /// How long the handshake may take, and then the first request's headers; `None` means no
    /// limit.
    pub(super) first_request_timeout: Option<Duration>,
    /// How long the service may take to answer a request; `None` means no limit.
    pub(super) request_timeout: Option<Duration>,
    /// How long the service may wait for the client to send more of a request's body; `None` means
    /// no limit.
    pub(super) body_timeout: Option<Duration>,
    /// How long a write, or an answer, may wait for the client; `None` means no limit.
    pub(super) write_timeout: Option<Duration>,
    /// How long a connection may have no request open; `None` means no limit.
    pub(super) idle_timeout: Option<Duration>,
    /// How many unsent bytes the OS may buffer for a connection; `None` means the OS's own limit.
    pub(super) unsent_limit: Option<u32>,
    /// How many connections may be open at a time; `None` means no limit.
    pub(super) max_connections: Option<usize>,
    /// How long open requests may take once the server shuts down; `None` means no limit.
    pub(super) shutdown_timeout: Option<Duration>,
    /// How long a request or a new connection may wait for a worker while the workers cannot keep
    /// up; `None` means no limit.
    pub(super) shed_after: Option<Duration>,
}

impl Terms {
    pub(super) fn limits(&self) -> Limits {
        Limits { first_request: self.first_request_timeout, room: self.write_timeout, idle: self.idle_timeout }
    }
}

impl Default for Terms {
    fn default() -> Self {
        let mut http = HttpBuilder::new(WsrtExecutor);
        // hyper's time limits need a timer.
        http.http1().timer(WsrtTimer);
        http.http2().timer(WsrtTimer).keep_alive_interval(SILENCE).enable_connect_protocol();
        http.http2().max_send_buf_size(STREAM_BUFFER);
        Self {
            http,
            first_request_timeout: Some(FIRST_REQUEST),
            request_timeout: None,
            body_timeout: Some(BODY),
            write_timeout: Some(WRITE),
            idle_timeout: Some(IDLE),
            unsent_limit: Some(UNSENT),
            max_connections: usual_limit(),
            shutdown_timeout: Some(SHUTDOWN),
            shed_after: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of `serve` has these.
    #[test]
    fn every_wait_for_a_client_is_limited_by_default() {
        let terms = Terms::default();
        let seconds = |limit: Option<Duration>| limit.map(|limit| limit.as_secs());
        assert_eq!(seconds(terms.first_request_timeout), Some(30));
        assert_eq!(seconds(terms.body_timeout), Some(60));
        assert_eq!(seconds(terms.write_timeout), Some(60));
        assert_eq!(seconds(terms.idle_timeout), Some(180));
        assert_eq!(seconds(terms.shutdown_timeout), Some(30));
        assert_eq!(terms.unsent_limit, Some(128 << 10));
        assert_eq!(seconds(terms.request_timeout), None, "an answer may wait for an event");
        assert_eq!(terms.shed_after, None, "a refusal is the user's choice");
        assert_eq!(super::super::wait_allowance::LEAST_RATE, 240);
    }
}
