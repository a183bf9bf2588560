//! An axum router on wsrt: JSON, server-sent events that are kept alive, a WebSocket, a time limit,
//! and the client's address.
//! `cargo run --release --example axum_router -- 127.0.0.1:8080`
//!
//! The difference from a program on tokio: `wsrt_hyper::serve` stands for `axum::serve`, and the
//! WebSocket is made by tokio-tungstenite, since axum's own spawns on tokio. Both versions of HTTP
//! are spoken on the one port.

use std::env;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{SinkExt, Stream, StreamExt, stream};
use serde::{Deserialize, Serialize};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::Role;
use wsrt::net::TcpListener;
use wsrt::stream::KeepAlive;
use wsrt_hyper::tower::TimeoutAnswerLayer;
use wsrt_hyper::{ConnectInfo, TokioIo};

#[wsrt::main]
async fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    wsrt_hyper::serve(listener, router())
        .with_graceful_shutdown(async { drop(wsrt::signal::ctrl_c().await) })
        .with_shutdown_timeout(Duration::from_secs(10))
        .await
}

fn router() -> Router {
    Router::new()
        .route("/", get(|| async { "Hello from axum on wsrt\n" }))
        .route("/peer", get(peer))
        .route("/sum", post(sum))
        .route("/ticks", get(ticks))
        .route("/slow", get(slow))
        .route("/echo", get(echo))
        // tower-http's own layer sleeps on tokio.
        .layer(TimeoutAnswerLayer::new(Duration::from_secs(2), || StatusCode::GATEWAY_TIMEOUT.into_response()))
}

async fn peer(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> String {
    peer.to_string()
}

#[derive(Deserialize)]
struct Numbers {
    numbers: Vec<i64>,
}

#[derive(Serialize)]
struct Sum {
    sum: i64,
    on_a_task: bool,
}

async fn sum(Json(Numbers { numbers }): Json<Numbers>) -> Json<Sum> {
    Json(Sum { sum: numbers.iter().sum(), on_a_task: wsrt::task::try_id().is_some() })
}

/// Server-sent events: three, 200 ms apart, and a comment whenever 20 ms have had none. (axum's own
/// `Sse::keep_alive` sleeps on tokio.)
async fn ticks() -> Sse<impl Stream<Item = Result<Event, axum::Error>>> {
    let mut interval = wsrt::time::interval(Duration::from_millis(200));
    interval.reset();
    let ticks = stream::unfold((interval, 1), |(mut interval, count)| async move {
        interval.tick().await;
        Some((Ok(Event::default().event("tick").data(count.to_string())), (interval, count + 1)))
    });
    Sse::new(KeepAlive::new(ticks.take(3), Duration::from_millis(20), || Ok(Event::DEFAULT_KEEP_ALIVE)))
}

/// Takes longer than the router's time limit.
async fn slow() -> &'static str {
    wsrt::time::sleep(Duration::from_secs(3600)).await;
    "never sent\n"
}

/// Echoes the messages of a WebSocket.
async fn echo(mut request: Request) -> Response {
    let upgrade = hyper::upgrade::on(&mut request);
    let response = match create_response_with_body(&request, Body::empty) {
        Ok(response) => response,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    wsrt::spawn(async move {
        // Ready once the response has gone out.
        let Ok(upgraded) = upgrade.await else { return };
        let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        while let Some(Ok(message)) = socket.next().await {
            if (message.is_text() || message.is_binary()) && socket.send(message).await.is_err() {
                return;
            }
        }
    });
    response
}
