//! tokio-util's `CancellationToken` and `TaskTracker` work on wsrt: they need wakers, and no
//! runtime of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Handle, Runtime};
use wsrt::time::{Instant, sleep, timeout};
use wsrt_tests::within_a_minute;

const LONG: Duration = Duration::from_secs(3600);

#[test]
fn a_token_ends_all_tasks_watching_it_or_a_child() {
    const TASKS: usize = 500;
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            let token = CancellationToken::new();
            let ended = Arc::new(AtomicUsize::new(0));
            let tasks: Vec<_> = (0..TASKS)
                .map(|n| {
                    let token = if n % 2 == 0 { token.clone() } else { token.child_token() };
                    let ended = Arc::clone(&ended);
                    wsrt::spawn(async move {
                        token.cancelled().await;
                        ended.fetch_add(1, SeqCst);
                    })
                })
                .collect();
            let side = token.child_token();
            side.cancel();
            assert!(!token.is_cancelled(), "a child does not cancel its parent");
            wsrt::task::spawn_blocking({
                let token = token.clone();
                move || token.cancel()
            })
            .await
            .expect("no panic");
            for task in tasks {
                task.await.expect("no panic");
            }
            assert_eq!(ended.load(SeqCst), TASKS);
        });
    });
}

#[test]
fn work_stops_in_the_middle_when_its_token_is_cancelled() {
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            let token = CancellationToken::new();
            let work = wsrt::spawn({
                let token = token.clone();
                async move { token.run_until_cancelled(sleep(Duration::from_secs(3600))).await }
            });
            token.cancel();
            assert!(work.await.expect("no panic").is_none());
        });
    });
}

#[test]
fn a_tracker_waits_for_exactly_what_it_tracks() {
    const TASKS: usize = 500;
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            let (tracker, done) = (TaskTracker::new(), Arc::new(AtomicUsize::new(0)));
            let untracked = wsrt::spawn(std::future::pending::<()>());
            for n in 0..TASKS {
                let done = Arc::clone(&done);
                wsrt::spawn(tracker.track_future(async move {
                    for _ in 0..n % 5 {
                        wsrt::task::yield_now().await;
                    }
                    done.fetch_add(1, SeqCst);
                }));
            }
            timeout(Duration::from_millis(1), tracker.wait())
                .await
                .expect_err("a tracker that is open goes on waiting");
            tracker.close();
            tracker.wait().await;
            assert_eq!(done.load(SeqCst), TASKS);
            assert!(tracker.is_empty() && !untracked.is_finished());
        });
    });
}

/// Echoes until the client or the token ends it; then says goodbye.
async fn serve(mut stream: TcpStream, token: CancellationToken) -> std::io::Result<()> {
    let mut buf = [0; 64];
    while let Some(count) = token.run_until_cancelled(stream.read(&mut buf)).await {
        match count? {
            0 => return Ok(()),
            count => stream.write_all(&buf[..count]).await?,
        }
    }
    stream.write_all(b"goodbye").await
}

#[test]
fn a_server_ends_with_its_token_and_is_drained() {
    const CLIENTS: usize = 50;
    within_a_minute(|| {
        Runtime::new().expect("a runtime").run(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
            let address = listener.local_addr().expect("an address");
            let (token, tracker) = (CancellationToken::new(), TaskTracker::new());
            let accepting = wsrt::spawn({
                let (token, tracker) = (token.clone(), tracker.clone());
                async move {
                    while let Some(accepted) = token.run_until_cancelled(listener.accept()).await {
                        let (stream, _) = accepted.expect("accepted");
                        drop(wsrt::spawn(tracker.track_future(serve(stream, token.clone()))));
                    }
                }
            });
            let mut clients = Vec::new();
            for _ in 0..CLIENTS {
                let mut client = TcpStream::connect(address).await.expect("connected");
                client.write_all(b"hello").await.expect("written");
                client.read_exact(&mut [0; 5]).await.expect("echoed");
                clients.push(client);
            }
            assert_eq!(tracker.len(), CLIENTS);
            token.cancel();
            accepting.await.expect("no panic");
            tracker.close();
            tracker.wait().await;
            for mut client in clients {
                let mut rest = String::new();
                client.read_to_string(&mut rest).await.expect("read");
                assert_eq!(rest, "goodbye");
            }
            let drained = Handle::current().drain(Instant::now() + LONG).await;
            assert!(drained.is_complete(), "{drained}");
        });
    });
}
