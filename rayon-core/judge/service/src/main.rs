//! A service with a light route, and heavy ones that sort with rayon: `/direct` in the handler, and
//! `/bridged` in a closure that rayon runs while the handler awaits it. With the feature `query`,
//! heavy ones that query with polars too: `/query` in the handler, and `/query_bridged` in a
//! blocking job, the usual way.

#[cfg(feature = "query")]
mod query;

use axum::Router;
use axum::routing::get;
use rayon::prelude::*;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Sorts some numbers, which takes a core some milliseconds, and returns the median.
fn sort() -> String {
    let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    let mut numbers: Vec<u64> = std::iter::successors(Some(1), next).take(200_000).collect();
    numbers.par_sort_unstable();
    numbers[numbers.len() / 2].to_string()
}

async fn bridged() -> String {
    let (sender, receiver) = oneshot::channel();
    rayon::spawn(move || drop(sender.send(sort())));
    receiver.await.expect("it is sorted")
}

#[tokio::main]
async fn main() {
    let routes = Router::new()
        .route("/", get(|| async { "light" }))
        .route("/direct", get(|| async { sort() }))
        .route("/bridged", get(bridged));
    #[cfg(feature = "query")]
    let routes = routes.route("/query", get(|| async { query::run() })).route("/query_bridged", get(query::bridged));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    println!("{}", listener.local_addr().expect("it is bound"));
    axum::serve(listener, routes).await.expect("it serves until it is killed");
}
