//! `HttpOnWsrt`: the HTTP client for exporters.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt, Full, Limited};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use wsrt::runtime::Handle;
use wsrt::time::timeout;
use wsrt_hyper::{Client, Connector, client};

/// How long an export may take, unless the user sets another limit: OpenTelemetry's own default.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest answer that is read; collectors answer with a few bytes.
const LONGEST_ANSWER: usize = 4 << 20;

/// An HTTP client for OpenTelemetry's exporters, based on wsrt's pooled client, without TLS. Pass
/// it to an exporter's `with_http_client`.
///
/// The client may be used on any thread, including the threads on which OpenTelemetry processes
/// batches: the requests run as tasks of the runtime in which the client was created.
///
/// # Errors
///
/// A request fails if no connection can be established, if the request takes longer than the
/// [limit](HttpOnWsrt::with_timeout), or if the answer is longer than 4 MiB.
///
/// # Cancel safety
///
/// Dropping a request's future cancels the request at whichever point it waits.
#[derive(Clone)]
pub struct HttpOnWsrt {
    client: Client<Connector, Full<Bytes>>,
    runtime: Handle,
    limit: Duration,
}

impl HttpOnWsrt {
    /// Creates a client whose requests run as tasks of the current runtime and may take ten seconds
    /// each.
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self { client: client().build(Connector::new()), runtime: Handle::current(), limit: LIMIT }
    }

    /// Sets how long a request may take, including reading the answer. The default is ten seconds.
    #[must_use]
    pub fn with_timeout(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

impl Default for HttpOnWsrt {
    fn default() -> Self {
        Self::new()
    }
}

async fn send(client: Client<Connector, Full<Bytes>>, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let (head, body) = client.request(request.map(Full::new)).await?.into_parts();
    let body = Limited::new(body, LONGEST_ANSWER).collect().await?.to_bytes();
    Ok(Response::from_parts(head, body))
}

#[async_trait]
impl HttpClient for HttpOnWsrt {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sending = send(self.client.clone(), request);
        let limit = self.limit;
        self.runtime.spawn(async move { timeout(limit, sending).await? }).abort_on_drop().await?
    }
}

impl fmt::Debug for HttpOnWsrt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOnWsrt").field("limit", &self.limit).finish_non_exhaustive()
    }
}
