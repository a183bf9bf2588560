//! Tasks that are aborted wherever they happen to be, and tasks that panic.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use wsrt::net::TcpStream;
use wsrt::sync::{Mutex, mpsc};
use wsrt::task::{JoinSet, yield_now};

use crate::soak::Soak;

/// Spawns some tasks, and aborts them after a while that is long enough for a few of them.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(1)).await {
        abort_each(&soak).await;
        drop_a_set(&soak).await;
        panic_in_tasks(&soak).await;
    }
}

async fn abort_each(soak: &Arc<Soak>) {
    let contended = Arc::new(Mutex::new(()));
    let tasks: Vec<_> =
        (0..12).map(|index| soak.spawn(work(index, Arc::clone(soak), Arc::clone(&contended)))).collect();
    for _ in 0..fastrand::u32(..20) {
        yield_now().await;
    }
    if fastrand::bool() {
        wsrt::time::sleep(Duration::from_micros(fastrand::u64(..1000))).await;
    }
    fastrand::bool().then(|| tasks.iter().rev().for_each(|task| task.abort()));
    tasks.iter().for_each(|task| task.abort());
    for task in tasks {
        let joined = task.await;
        let is_fine = joined.as_ref().map_or_else(|error| error.is_cancelled(), |()| true);
        soak.ledger.check(is_fine, || format!("an aborted task: {joined:?}"));
    }
    // The last of them, if it held the lock, has released it.
    let _ = contended.lock().await;
}

/// Waits in one of several ways, forever or for a while.
async fn work(index: u32, soak: Arc<Soak>, contended: Arc<Mutex<()>>) {
    match index % 6 {
        0 => pending().await,
        1 => wsrt::time::sleep(Duration::from_micros(fastrand::u64(..2000))).await,
        2 => {
            let _guard = contended.lock().await;
            wsrt::time::sleep(Duration::from_micros(50)).await;
        }
        3 => {
            let (_sender, mut receiver) = mpsc::channel::<()>(1);
            receiver.recv().await;
        }
        4 => {
            if let Ok(mut stream) = TcpStream::connect(soak.echo).await {
                // The echo server says nothing first.
                let _ = stream.read(&mut [0; 1]).await;
            }
        }
        _ => {
            for _ in 0..1000 {
                yield_now().await;
            }
        }
    }
}

async fn drop_a_set(soak: &Arc<Soak>) {
    let contended = Arc::new(Mutex::new(()));
    let mut set = JoinSet::new();
    for index in 0..6 {
        let entry = soak.ledger.open(crate::ledger::Kind::Task);
        let (soak, contended) = (Arc::clone(soak), Arc::clone(&contended));
        set.spawn(async move {
            let _entry = entry;
            work(index, soak, contended).await;
        });
    }
    yield_now().await;
    if fastrand::bool() {
        set.shutdown().await;
    }
}

async fn panic_in_tasks(soak: &Soak) {
    let panicking = soak.spawn(async {
        yield_now().await;
        // Without the panic hook, which would write a line each time.
        std::panic::resume_unwind(Box::new("as planned"));
    });
    let joined: Result<(), _> = panicking.await;
    soak.ledger.check(joined.is_err_and(|error| error.is_panic()), || "a panic was lost".into());
}
