//! Layers and services of tower-http in a router: they need tokio's timers and files.

use std::fs;
use std::future::pending;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use tower_http::services::ServeDir;
use tower_http::timeout::TimeoutLayer;
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s};
use wsrt_drop_in_web::{Server, curl};
use wsrt_ecosystem_testing::Scratch;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_takes_too_long_is_given_up() {
    async fn handler() {
        assert_is_a_task_of_wsrt();
        pending::<()>().await;
    }
    let limit = TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, Duration::from_millis(50));
    let router = Router::new().route("/slow", get(handler)).route("/fast", get(|| async { "fast" })).layer(limit);
    let server = Server::start(router).await;
    let status = curl(&["--write-out", "%{http_code}", &server.url("/slow")]).await;
    assert!(status.is_none_or(|status| status == "504"));
    let answer = curl(&["--fail", &server.url("/fast")]).await;
    assert!(answer.is_none_or(|answer| answer == "fast"));
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_served_whole_and_in_part() {
    let folder = Scratch::new();
    let text: String = (0..100_000).map(|number| format!("{number}\n")).collect();
    fs::write(folder.file("numbers.txt"), &text).expect("the folder is ours");
    let server = Server::start(Router::new().fallback_service(ServeDir::new(folder.path()))).await;
    let url = server.url("/numbers.txt");

    let Some(whole) = curl(&["--fail", &url]).await else { return };
    assert!(whole == text, "{} bytes of {}", whole.len(), text.len());
    let part = curl(&["--fail", "--range", "400000-400099", &url]).await;
    assert_eq!(part.as_deref(), Some(&text[400_000..400_100]));
    let head = curl(&["--fail", "--head", &url]).await.expect("curl is installed");
    assert!(head.contains("content-type: text/plain") && head.contains(&text.len().to_string()), "{head}");
    let status = curl(&["--output", "/dev/null", "--write-out", "%{http_code}", &server.url("/none.txt")]).await;
    assert_eq!(status.as_deref(), Some("404"));
    assert_no_thread_is_tokio_s();
    server.end().await;
}
