//! `axum::serve` unchanged, with axum's own WebSocket, server-sent events and ctrl-c: only `main`
//! is wsrt's. `cargo run --release --example axum_serve -- 127.0.0.1:8080`
//!
//! axum spawns each connection on tokio. So the handlers run on the threads of the tokio runtime in
//! the background, and heavy work in them is best spawned on wsrt, which works there too.
//! `wsrt_hyper::serve` runs the same router on wsrt.

use std::convert::Infallible;
use std::env;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::{Stream, stream};

#[wsrt::main]
async fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let router = Router::new()
        .route("/", get(|| async { "Hello from axum on tokio on wsrt\n" }))
        .route("/where", get(where_it_runs))
        .route("/ticks", get(ticks))
        .route("/echo", get(|upgrade: WebSocketUpgrade| async { upgrade.on_upgrade(echo) }));
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    axum::serve(listener, router).with_graceful_shutdown(async { drop(wsrt::signal::ctrl_c().await) }).await
}

/// The handler runs on tokio; the task that it spawns here runs on wsrt.
async fn where_it_runs() -> String {
    let here = (tokio::task::try_id().is_some(), wsrt::task::try_id().is_some());
    let there = wsrt::spawn(async {
        wsrt::time::sleep(Duration::from_millis(1)).await;
        (tokio::task::try_id().is_some(), wsrt::task::try_id().is_some())
    });
    let there = there.await.expect("it does not panic");
    format!("handler: tokio {}, wsrt {}; spawned: tokio {}, wsrt {}\n", here.0, here.1, there.0, there.1)
}

/// Two events, with tokio's kind of keep-alive in between.
async fn ticks() -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let ticks = stream::unfold(1, |count| async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        (count <= 2).then(|| (Ok(Event::default().data(count.to_string())), count + 1))
    });
    Sse::new(ticks).keep_alive(KeepAlive::new().interval(Duration::from_millis(20)))
}

async fn echo(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}
