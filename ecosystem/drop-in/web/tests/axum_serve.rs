//! `axum::serve` unchanged: its handlers are tasks of wsrt's.

use std::process::Command;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s};
use wsrt_ecosystem_testing::{output_of, peer};

fn curl(arguments: &[&str]) -> Option<String> {
    let mut curl: Command = peer("curl")?;
    curl.args(["--silent", "--show-error", "--max-time", "20"]).args(arguments);
    Some(output_of(curl))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_are_tasks_of_wsrt() {
    let router = Router::new().route(
        "/",
        get(|| async {
            assert_is_a_task_of_wsrt();
            tokio::spawn(async { assert_is_a_task_of_wsrt() }).await.expect("it is one");
            assert_no_thread_is_tokio_s();
            "as it should be"
        }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let said = tokio::task::spawn_blocking(move || curl(&["--fail", &url])).await.expect("curl runs");
    assert!(said.is_none_or(|said| said == "as it should be"));
    server.abort();
}
