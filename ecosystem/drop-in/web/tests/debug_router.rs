//! wsrt-debug's pages in an axum router, on the drop-in.

use axum::Router;
use axum::routing::get;
use wsrt_debug::Service;
use wsrt_drop_in_web::get as ask;

#[tokio::test(flavor = "multi_thread")]
async fn an_axum_router_serves_the_debug_pages() {
    let router = Router::new().route("/", get(|| async { "Hello" })).nest_service("/debug", Service::at("/debug"));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async { axum::serve(listener, router).await });
    let asking = tokio::task::spawn_blocking(move || {
        assert!(ask(address, "/").ends_with("Hello"));
        assert!(ask(address, "/debug").contains("href=\"/debug/tasks\""));
        let tasks = ask(address, "/debug/tasks");
        assert!(tasks.contains("tests/debug_router.rs:"), "{tasks}");
        assert!(ask(address, "/debug/metrics").contains("\nwsrt_processors{"));
        assert!(ask(address, "/debug/report?seconds=0.1").contains("wsrt report</title>"));
    });
    asking.await.expect("each page is there");
}
