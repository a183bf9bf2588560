//! An axum service, measured by tokio-metrics and watched by console-subscriber.
#![cfg(tokio_unstable)]

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use console_subscriber::ConsoleLayer;
// tokio's sockets need these.
#[allow(unused_imports)]
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle, HistogramConfiguration, LogHistogram};
use tokio_metrics::{HistogramBucket, RuntimeMonitor, TaskMonitor};
use wsrt_drop_in_here::{assert_is_a_task_of_wsrt, assert_no_thread_is_tokio_s};

async fn hello() -> &'static str {
    assert_is_a_task_of_wsrt();
    "hello"
}

/// Asks the service once, on a connection of its own.
async fn ask(server: TcpListener, monitor: TaskMonitor) -> String {
    let address = server.local_addr().expect("it is bound");
    let router = Router::new().route("/", get(hello));
    tokio::spawn(monitor.instrument(async { axum::serve(server, router).await }));
    let mut client = TcpStream::connect(address).await.expect("the service listens");
    client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.expect("it is read");
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.expect("it is answered");
    answer
}

#[test]
fn a_service_is_measured_in_the_buckets_of_its_builder() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .disable_lifo_slot()
        .enable_metrics_poll_time_histogram()
        .metrics_poll_time_histogram_configuration(HistogramConfiguration::log(LogHistogram::default()))
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let monitor = RuntimeMonitor::new(&Handle::current());
        let mut intervals = monitor.intervals();
        let _ = intervals.next();
        let tasks = TaskMonitor::new();
        let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        assert!(ask(server, tasks.clone()).await.ends_with("hello"));
        // A poll is counted when it has ended: the one of the connection's task may still run.
        let (mut polls, mut events) = (0, 0);
        while polls < 2 || events == 0 {
            tokio::task::yield_now().await;
            let seen = intervals.next().expect("it never ends");
            polls += seen.poll_time_histogram.buckets().iter().map(HistogramBucket::count).sum::<u64>();
            events += seen.io_driver_ready_count;
            assert_eq!((seen.workers_count, seen.poll_time_histogram.buckets().len()), (2, 119));
        }
        assert_eq!(tasks.cumulative().instrumented_count, 1);
        assert_no_thread_is_tokio_s();
    });
}

/// The layer and its server are built against the drop-in. `ecosystem/console` shows what a viewer
/// gets.
#[test]
fn a_service_runs_with_the_consoles_layer_around_it() {
    let (_layer, server) = ConsoleLayer::builder().server_addr(SocketAddr::from(([127, 0, 0, 1], 0))).build();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let answer = runtime.block_on(async {
        let console = tokio::task::Builder::new().name("console").spawn(server.serve()).expect("it is spawned");
        let service = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let answer = tokio::time::timeout(Duration::from_secs(30), ask(service, TaskMonitor::new())).await;
        console.abort();
        answer
    });
    assert!(answer.expect("it is answered in time").ends_with("hello"));
}
