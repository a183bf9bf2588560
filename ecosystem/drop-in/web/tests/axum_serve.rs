//! `axum::serve` unchanged: its handlers are tasks of wsrt's, and real clients are answered.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::ConnectInfo;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::{SinkExt, Stream, StreamExt, stream};
use tokio::sync::{mpsc, oneshot};
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s, assert_wsrt_runs_a_task_of};
use wsrt_drop_in_web::{Server, curl};
use wsrt_ecosystem_testing::{LIMIT, output_of, peer, python};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_and_their_spawns_are_tasks_of_wsrt() {
    async fn handler() -> &'static str {
        assert_is_a_task_of_wsrt();
        tokio::spawn(async { assert_is_a_task_of_wsrt() }).await.expect("it is one");
        assert_wsrt_runs_a_task_of("axum");
        assert_no_thread_is_tokio_s();
        "as it should be"
    }
    let server = Server::start(Router::new().route("/", get(handler))).await;
    for version in ["--http1.1", "--http2-prior-knowledge"] {
        let said = curl(&["--fail", version, &server.url("/")]).await;
        assert!(said.is_none_or(|said| said == "as it should be"));
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_is_told_its_own_address() {
    async fn peer(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> String {
        peer.to_string()
    }
    let server = Server::start(Router::new().route("/", get(peer))).await;
    let said = curl(&["--fail", "--write-out", "=%{local_ip}:%{local_port}", &server.url("/")]).await;
    let Some(said) = said else { return };
    let (told, own) = said.split_once('=').expect("as asked for");
    assert_eq!(told, own);
    server.end().await;
}

/// Two events, and signs of life while the second is not there yet.
async fn ticks() -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let ticks = stream::unfold(1, |count| async move {
        assert_is_a_task_of_wsrt();
        tokio::time::sleep(Duration::from_millis(100)).await;
        (count <= 2).then(|| (Ok(Event::default().data(count.to_string())), count + 1))
    });
    Sse::new(ticks).keep_alive(KeepAlive::new().interval(Duration::from_millis(10)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_sent_events_are_kept_alive() {
    let server = Server::start(Router::new().route("/", get(ticks))).await;
    let Some(said) = curl(&["--fail", "--no-buffer", &server.url("/")]).await else { return };
    assert!(said.contains("data: 1\n\n") && said.contains("data: 2\n\n"), "{said}");
    assert!(said.contains(":\n\n"), "without a sign of life in between: {said}");
    server.end().await;
}

async fn echo(mut socket: WebSocket) {
    assert_is_a_task_of_wsrt();
    while let Some(Ok(message)) = socket.recv().await {
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}

fn echoes() -> Router {
    Router::new().route("/echo", get(|upgrade: WebSocketUpgrade| async { upgrade.on_upgrade(echo) }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_talks_over_axum_s_websocket() {
    let server = Server::start(echoes()).await;
    let Some(mut python) = python(&["websockets"]) else { return };
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../../native/tests/peers/websocket_client.py");
    python.args([client, &format!("ws://{}/echo", server.address)]);
    let said = tokio::task::spawn_blocking(|| output_of(python)).await.expect("it succeeds");
    assert_eq!(said, "1000 texts and 100 blobs came back, closed with 1000\n");
    server.end().await;
}

#[tokio::test]
async fn tungstenite_s_own_connect_talks_to_it_on_one_thread() {
    use tokio_tungstenite::tungstenite::Message;

    let server = Server::start(echoes()).await;
    let url = format!("ws://{}/echo", server.address);
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.expect("it upgrades");
    for number in 0..100 {
        let text = Message::text(format!("number {number}"));
        socket.send(text.clone()).await.expect("it reads");
        assert_eq!(socket.next().await.expect("it answers").expect("in order"), text);
    }
    socket.close(None).await.expect("it reads");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graceful_end_lets_the_open_request_finish() {
    let (began, mut begins) = mpsc::channel(1);
    let handler = move || {
        let began = began.clone();
        async move {
            let (release, released) = oneshot::channel();
            began.send(release).await.expect("the test waits");
            released.await.expect("the test releases")
        }
    };
    let server = Server::start(Router::new().route("/", get(handler))).await;
    let (address, url) = (server.address, server.url("/"));
    let client = tokio::spawn(async move { curl(&["--fail", &url]).await });
    let Some(release) = begins.recv().await else { return };

    let ended = server.ask_to_end();
    let asked = Instant::now();
    while TcpStream::connect(address).is_ok() {
        assert!(asked.elapsed() < LIMIT, "it still listens");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!ended.is_finished(), "a request is open");
    release.send("finished").expect("the handler waits");
    assert_eq!(client.await.expect("curl succeeds").as_deref(), Some("finished"));
    ended.await.expect("it does not panic").expect("it does not fail");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrk_gets_answers_and_no_errors() {
    let server = Server::start(Router::new().route("/", get(|| async { "Hello" }))).await;
    let Some(mut wrk) = peer("wrk") else { return };
    wrk.args(["-t2", "-c64", "-d2s", &server.url("/")]);
    let report = tokio::task::spawn_blocking(|| output_of(wrk)).await.expect("wrk succeeds");
    assert!(report.contains("requests in") && !report.contains(" 0 requests in"), "{report}");
    assert!(!report.contains("Socket errors") && !report.contains("Non-2xx"), "{report}");
    server.end().await;
}
