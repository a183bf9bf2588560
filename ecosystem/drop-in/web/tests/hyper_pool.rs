//! hyper-util's pooled client, with its executor, its timer and its connector.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Empty};
use hyper::Uri;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use wsrt_drop_in_here::{assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};
use wsrt_ecosystem_testing::{LIMIT, Running, python};

type Pooled = Client<HttpConnector, Empty<Bytes>>;

async fn serve() -> Option<(Running, Uri)> {
    let mut python = python(&["http.server"])?;
    python.args(["-u", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/who.py")]);
    let started = tokio::task::spawn_blocking(|| {
        let mut server = Running::start(python);
        let address = server.line_after("listening on ");
        (server, format!("http://{address}/").parse().expect("an address"))
    });
    Some(started.await.expect("it starts"))
}

/// Returns the local port that the server has seen.
async fn port_of_a_request(client: &Pooled, uri: &Uri) -> String {
    let answer = client.get(uri.clone()).await.expect("it answers");
    let body = answer.into_body().collect().await.expect("it goes on").to_bytes();
    String::from_utf8(body.to_vec()).expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_used_again() {
    let Some((_server, uri)) = serve().await else { return };
    let client: Pooled = Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build_http();
    // A connection is free a moment after its answer has come: the next request may be earlier.
    let began = Instant::now();
    let mut ports = HashSet::new();
    while ports.insert(port_of_a_request(&client, &uri).await) {
        assert!(began.elapsed() < LIMIT, "no connection is used again: {ports:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_idle_too_long_is_closed() {
    let Some((mut server, uri)) = serve().await else { return };
    let client: Pooled = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_millis(100))
        .build_http();
    let first = port_of_a_request(&client, &uri).await;
    assert_wsrt_runs_a_task_of("hyper-util");
    assert_no_thread_is_tokio_s();

    let closed = tokio::task::spawn_blocking(move || server.line_after("closed ")).await;
    assert_eq!(closed.expect("the pool closes it"), first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_requests_at_once_are_answered() {
    let Some((_server, uri)) = serve().await else { return };
    let client: Pooled = Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build_http();
    let requests = (0..50).map(|_| {
        let (client, uri) = (client.clone(), uri.clone());
        tokio::spawn(async move { port_of_a_request(&client, &uri).await })
    });
    for request in requests.collect::<Vec<_>>() {
        assert!(request.await.expect("it is answered").parse::<u16>().is_ok());
    }
}
