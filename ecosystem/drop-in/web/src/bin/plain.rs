//! A plain tokio program that uses axum: nothing in it names wsrt.

use std::env;
use std::future::pending;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

static LOCK: Mutex<()> = Mutex::const_new(());
/// A lock of the standard library's, which blocks the thread.
static LEDGER: std::sync::Mutex<u64> = std::sync::Mutex::new(0);

#[tokio::main]
async fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let router = Router::new()
        .route("/", get(|| async { "Hello" }))
        .route("/block", get(block))
        .route("/spin", get(spin))
        .route("/book", get(book))
        .route("/block-in-a-task", get(async || tokio::spawn(block()).await.expect("it does not panic")))
        .route("/hold-and-wait", get(hold_and_wait));
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    axum::serve(listener, router).with_graceful_shutdown(async { drop(tokio::signal::ctrl_c().await) }).await
}

/// Blocks its thread far longer than it takes to be seen.
async fn block() -> &'static str {
    thread::sleep(Duration::from_millis(300));
    "blocked"
}

/// Computes without an `await`.
async fn spin() -> String {
    let began = Instant::now();
    let mut number = 7_u64;
    while began.elapsed() < Duration::from_millis(300) {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    }
    format!("{number}")
}

/// Has the lock while it blocks: others wait for it.
async fn book() -> String {
    let mut entries = LEDGER.lock().expect("no handler panics");
    *entries += 1;
    thread::sleep(Duration::from_millis(250));
    format!("{entries}")
}

/// Leaves two tasks behind: one has the lock forever, the other waits for it.
async fn hold_and_wait() {
    let held = LOCK.lock().await;
    tokio::spawn(async move {
        let _held = held;
        pending::<()>().await;
    });
    tokio::spawn(async { drop(LOCK.lock().await) });
}
