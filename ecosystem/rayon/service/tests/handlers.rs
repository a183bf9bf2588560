//! Handlers that compute with rayon, beside light ones, on one set of processors.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use tokio::net::{TcpListener, TcpStream};
use wsrt_rayon_service::{Stop, numbers, routes};

/// Serves the routes, and returns the address.
async fn serve(stop: Stop) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound").to_string();
    tokio::spawn(async move { axum::serve(listener, routes(stop)).await });
    address
}

/// Sends a request, and returns the body of the answer.
async fn ask(address: &str, head: &str, body: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request =
        format!("{head} HTTP/1.1\r\nhost: here\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("it answers");
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head ends");
    answer.split_off(end + 4)
}

async fn ask_for_text(address: &str, head: &str, body: &str) -> String {
    String::from_utf8(ask(address, head, body).await).expect("a text")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_compute_with_rayon() {
    let address = serve(Stop::default()).await;
    let mut sorted = numbers(100_000);
    sorted.sort_unstable();
    assert_eq!(ask_for_text(&address, "GET /sorted/100000", "").await, sorted[50_000].to_string());
    let text = "the cat and the dog and the bird ".repeat(1_000);
    assert_eq!(ask_for_text(&address, "POST /words", &text).await, "the 3000\nand 2000\ndog 1000\n");
    let picture = ask(&address, "GET /picture/256", "").await;
    assert!(picture.starts_with(b"\x89PNG"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rayon_has_the_processors_of_the_runtime() {
    let task = tokio::spawn(async {
        let caller = std::thread::current().id();
        assert_eq!(rayon::current_num_threads(), 2);
        assert_eq!(rayon::join(|| std::thread::current().id(), || ()).0, caller);
    });
    task.await.expect("no panic");
    let threads = fs::read_dir("/proc/self/task").expect("Linux tells a process its threads").flatten();
    let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    assert!(names.into_iter().all(|name| !name.contains("tokio")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_light_route_answers_beside_endless_loops() {
    let stop = Arc::new(AtomicBool::new(false));
    let address = serve(Arc::clone(&stop)).await;
    let heavy = || {
        let address = address.clone();
        tokio::spawn(async move { ask_for_text(&address, "GET /endless", "").await })
    };
    // As many as there are processors, and one more.
    let heavy: Vec<_> = (0..3).map(|_| heavy()).collect();
    for _ in 0..20 {
        assert_eq!(ask_for_text(&address, "GET /", "").await, "light");
    }
    stop.store(true, Relaxed);
    for loops in heavy {
        loops.await.expect("no panic").parse::<u64>().expect("a number of rounds");
    }
}

/// Programs for tokio and rayon do it so: the handler awaits a closure that rayon runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bridge_to_rayon_works_as_well() {
    let bridges = (1..=50_u64).map(|count| {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        rayon::spawn(move || {
            use rayon::prelude::*;
            let sum = (0..=count).into_par_iter().sum::<u64>();
            sender.send(sum).expect("it is awaited");
        });
        receiver
    });
    for (count, sum) in (1..=50_u64).zip(bridges.collect::<Vec<_>>()) {
        assert_eq!(sum.await, Ok(count * (count + 1) / 2));
    }
}
