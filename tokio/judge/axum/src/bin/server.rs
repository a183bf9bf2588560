//! `axum::serve` with one route. `server N`: each Nth request blocks its thread for 50 ms; 0: none.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::http::HeaderName;
use axum::routing::get;

/// Tells the load which answers came from a handler that blocked.
const BLOCKED: HeaderName = HeaderName::from_static("x-blocked");

#[tokio::main]
async fn main() {
    let every: u64 = std::env::args().nth(1).map_or(0, |word| word.parse().expect("a whole number"));
    let requests: &AtomicU64 = Box::leak(Box::default());
    let handler = move || async move {
        let blocks = every != 0 && requests.fetch_add(1, Relaxed) % every == every - 1;
        if blocks {
            thread::sleep(Duration::from_millis(50));
        }
        ([(BLOCKED, if blocks { "1" } else { "0" })], "hello")
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    println!("{}", listener.local_addr().expect("it is bound"));
    axum::serve(listener, Router::new().route("/", get(handler))).await.expect("it serves for ever");
}
