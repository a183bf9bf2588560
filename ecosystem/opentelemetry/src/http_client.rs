//! `HttpOnWsrt`: the exporters' HTTP client.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt, Full, Limited};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use wsrt_hyper::{Client, Connector, client};
use wsrt::runtime::Handle;
use wsrt::time::timeout;

/// How long an export may take, unless the user sets another limit: OpenTelemetry's own default.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest answer that is read; collectors answer with a few bytes.
const LONGEST_ANSWER: usize = 4 << 20;

/// Implements OpenTelemetry's HTTP client by wsrt's pooled one, without TLS: pass it to an
/// exporter's `with_http_client`.
///
/// It may be used on any thread, those of OpenTelemetry's own batches among them: the requests are
/// tasks of the runtime in which it was made.
///
/// # Errors
///
/// A request fails if no connection is to be had, if it takes longer than the
/// [limit](HttpOnWsrt::with_timeout), and if the answer has more than 4 MiB.
///
/// # Cancel safety
///
/// Dropping a request's future ends it, wherever it waits.
#[derive(Clone)]
pub struct HttpOnWsrt {
    client: Client<Connector, Full<Bytes>>,
    runtime: Handle,
    limit: Duration,
}

impl HttpOnWsrt {
    /// Returns a client whose requests are tasks of the current runtime and may take ten seconds.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self { client: client().build(Connector::new()), runtime: Handle::current(), limit: LIMIT }
    }

    /// Limits how long a request may take, its answer included.
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
