//! A handler of `axum::serve` that blocks its thread delays no other, as on wsrt itself.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use axum::Router;
use axum::routing::get;
use wsrt_drop_in_here::assert_is_a_task_of_wsrt;
use wsrt_drop_in_web::{Server, get as request};
use wsrt_ecosystem_testing::LIMIT;

/// Counts the handlers that are blocked at the same time.
const BLOCKED: usize = 4;

/// `/block` reports that it has begun and blocks its thread until `/feed` feeds it: no handler ends
/// before another has run.
fn router(began: mpsc::Sender<()>) -> Router {
    let (feed, food) = mpsc::channel();
    let food = Arc::new(Mutex::new(food));
    let block = move || {
        let (began, food) = (began.clone(), food.clone());
        async move {
            assert_is_a_task_of_wsrt();
            began.send(()).expect("the test waits");
            let eaten: Result<(), _> = food.lock().expect("no panic").recv_timeout(LIMIT);
            if eaten.is_ok() { "fed" } else { "hungry" }
        }
    };
    let feed = move || {
        let feed = feed.clone();
        async move {
            assert_is_a_task_of_wsrt();
            (0..BLOCKED).for_each(|_| feed.send(()).expect("the others wait"));
            "feeds"
        }
    };
    Router::new().route("/block", get(block)).route("/feed", get(feed))
}

async fn all_are_fed() {
    let (began, begins) = mpsc::channel();
    let server = Server::start(router(began)).await;
    let address = server.address;
    let clients = move || {
        let blocked: Vec<_> = (0..BLOCKED).map(|_| thread::spawn(move || request(address, "/block"))).collect();
        (0..BLOCKED).for_each(|_| begins.recv_timeout(LIMIT).expect("it begins beside the others"));
        assert!(request(address, "/feed").ends_with("\r\n\r\nfeeds"), "it runs beside the others");
        for client in blocked {
            let answer = client.join().expect("it is answered");
            assert!(answer.ends_with("\r\n\r\nfed"), "{answer}");
        }
    };
    tokio::task::spawn_blocking(clients).await.expect("all are answered");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn on_one_processor_blocked_handlers_delay_no_other() {
    all_are_fed().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_two_processors_blocked_handlers_delay_no_other() {
    all_are_fed().await;
}
