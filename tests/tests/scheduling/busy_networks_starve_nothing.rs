//! Tasks behind a long poll are run beside a machine that always finds events in the network, and
//! so never steals: the watcher moves them to the injector.
#![cfg(unix)]

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use wsrt::net::UnixStream;
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::JoinHandle;
use wsrt_tests::within_a_minute;

const ROUNDS: usize = 100;
const BEHIND: usize = 8;

/// Two processors, and no spares that would stand in for one in a long poll.
fn two_processors() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).max_machines(2).build().expect("a runtime")
}

/// Sends each byte back, for ever.
async fn echo(mut stream: UnixStream) {
    let mut byte = [0; 1];
    while stream.read_exact(&mut byte).await.is_ok() && stream.write_all(&byte).await.is_ok() {}
}

/// Two tasks that send a byte to and fro: while there is one machine for both, each of its looks at
/// the netpoller finds an event.
async fn endless_events() -> [JoinHandle<()>; 2] {
    let (mut near, far) = UnixStream::pair().expect("a pair of sockets");
    near.write_all(b"x").await.expect("it is open");
    [wsrt::spawn(echo(near)), wsrt::spawn(echo(far))]
}

/// One poll that lasts until the tasks that it has readied have all run.
async fn wait_for_tasks_behind() {
    let done = Arc::new(AtomicUsize::new(0));
    for _ in 0..BEHIND {
        let done = Arc::clone(&done);
        drop(wsrt::spawn(async move { done.fetch_add(1, SeqCst) }));
    }
    while done.load(SeqCst) < BEHIND {
        thread::yield_now();
    }
}

#[test]
fn tasks_behind_a_long_poll_run_beside_endless_events() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let events = endless_events().await;
            for _ in 0..ROUNDS {
                wsrt::spawn(wait_for_tasks_behind()).await.expect("no panic");
            }
            events.iter().for_each(JoinHandle::abort);
        });
    });
}
