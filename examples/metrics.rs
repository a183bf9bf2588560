//! Metrics for Prometheus: a server that shows its runtime's counts:
//! `cargo run --release --example metrics`.
//!
//! Four lines do it: a recorder is installed with wsrt's buckets, `wsrt_metrics::export` publishes
//! to it twice a second, and `/metrics` renders the recorder's contents. Any recorder of the
//! `metrics` crate will do. `executor/docs/METRICS.md` explains each figure.
//!
//! Listens on 127.0.0.1:9101; `PORT=3000` chooses another port (0 lets the system choose). `/work`
//! spawns some tasks, so that there is something to see: `curl -s 127.0.0.1:9101/work`, then
//! `curl -s 127.0.0.1:9101/metrics`.

use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::Handle;
use wsrt_hyper::WsrtTimer;

/// How often the runtime's figures are published.
const PERIOD: Duration = Duration::from_millis(500);

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let wsrt = Matcher::Prefix("wsrt_".to_owned());
    let recorder = PrometheusBuilder::new().set_buckets_for_metric(wsrt, &wsrt_metrics::BUCKETS)?.install_recorder()?;
    let _exporting = wsrt_metrics::export(&Handle::current(), PERIOD)?;
    // Off by default: it reads the clock at each eighth poll.
    Handle::current().set_latency_histograms(true);

    let port = env::var("PORT").unwrap_or_else(|_| "9101".to_owned());
    let port: u16 =
        port.parse().map_err(|error| format!("PORT={port} is not a port number from 0 to 65535: {error}"))?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        wsrt::spawn(serve(stream, recorder.clone()));
    }
}

async fn serve(stream: TcpStream, recorder: PrometheusHandle) {
    let respond = service_fn(move |request| respond(request, recorder.clone()));
    // An error means that the client disconnected.
    let _ = http1::Builder::new().timer(WsrtTimer).serve_connection(stream, respond).await;
}

async fn respond(request: Request<Incoming>, recorder: PrometheusHandle) -> Result<Response<Full<Bytes>>, Infallible> {
    let (status, body) = match request.uri().path() {
        "/metrics" => (StatusCode::OK, recorder.render()),
        "/work" => (StatusCode::OK, work().await),
        _ => (StatusCode::NOT_FOUND, "There are /metrics and /work\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    Ok(response)
}

/// Work that the metrics count: tasks, a timer, a blocking job.
async fn work() -> String {
    let tasks: Vec<_> = (0..100).map(|number: u64| wsrt::spawn(async move { (0..number).sum::<u64>() })).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("adding does not panic");
    }
    wsrt::time::sleep(Duration::from_millis(1)).await;
    let doubled = wsrt::task::spawn_blocking(move || sum * 2).await.expect("doubling does not panic");
    format!("{doubled}\n")
}
