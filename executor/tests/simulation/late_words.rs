//! Words of a connection that come late, behind their own repetition or those of another call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::sim::{self, Link, Sim};
use wsrt::time::{sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

/// Links on which a call may arrive after its repetition, and an answer after the next call's.
fn slow_links(sim: &Sim) {
    sim.links(&Link::new().latency(SECOND / 100..4 * SECOND));
}

/// Accepts at port 80 after a while, and tells each stream its number.
async fn count_streams(after: Duration, count: Arc<AtomicU32>) {
    sleep(after).await;
    let listener = TcpListener::bind("0.0.0.0:80").await.expect("a port is free");
    while let Ok((mut stream, _)) = listener.accept().await {
        let number = count.fetch_add(1, Relaxed);
        wsrt::spawn(async move {
            let _ = stream.write_all(format!("hello {number};").as_bytes()).await;
            let _ = stream.read(&mut [0; 8]).await;
        });
    }
}

#[test]
fn one_connect_is_accepted_once() {
    for seed in 0..60 {
        sim::run(seed, |sim| async move {
            slow_links(&sim);
            let accepted = Arc::new(AtomicU32::new(0));
            let count = Arc::clone(&accepted);
            sim.host("server", move || count_streams(Duration::ZERO, Arc::clone(&count)));
            sleep(SECOND).await;
            let mut stream = TcpStream::connect("server:80").await.expect("it listens");
            let (mut heard, mut buf) = (String::new(), [0; 64]);
            while let Ok(Ok(count @ 1..)) = timeout(60 * SECOND, stream.read(&mut buf)).await {
                heard.push_str(std::str::from_utf8(&buf[..count]).expect("it is text"));
            }
            assert_eq!((heard.as_str(), accepted.load(Relaxed)), ("hello 0;", 1), "seed {seed}");
        });
    }
}

#[test]
fn a_late_refusal_ends_no_open_stream() {
    for seed in 0..120 {
        sim::run(seed, |sim| async move {
            slow_links(&sim);
            sim.host("server", || count_streams(SECOND, Arc::default()));
            let Ok(mut stream) = TcpStream::connect("server:80").await else { return };
            let mut buf = [0; 64];
            let heard = timeout(60 * SECOND, stream.read(&mut buf)).await.expect("the server writes");
            heard.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let silent = timeout(60 * SECOND, stream.read(&mut buf)).await;
            assert!(silent.is_err(), "seed {seed}: {silent:?}");
        });
    }
}
