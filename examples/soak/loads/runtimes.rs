//! Further runtimes, made and dropped in the midst of their work.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::mpsc;
use wsrt::task::spawn_blocking;
use wsrt::time::{Instant, sleep};

use crate::ledger::{Kind, Ledger};
use crate::soak::Soak;

/// Makes one runtime after the other, on a thread for blocking jobs.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(20)).await {
        let entry = soak.ledger.open(Kind::Runtime);
        let ledger = Arc::clone(&soak.ledger);
        match spawn_blocking(move || make_and_drop(&ledger)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => soak.ledger.fault(format!("a runtime: {error}")),
            Err(error) => soak.ledger.fault(format!("a thread with a runtime: {error}")),
        }
        entry.settle();
    }
}

fn make_and_drop(ledger: &Arc<Ledger>) -> io::Result<()> {
    let runtime = match fastrand::u8(..4) {
        0 => Builder::new_current_thread().build()?,
        1 => Builder::new_multi_thread().worker_threads(1).build()?,
        2 => Builder::new_multi_thread().worker_threads(2).latency_histograms(true).task_stats(true).build()?,
        _ => Builder::new_multi_thread().worker_threads(4).build()?,
    };
    fill(runtime.handle(), ledger);
    if fastrand::bool() {
        runtime.block_on(sleep(Duration::from_micros(fastrand::u64(..2000))));
    }
    end(runtime);
    Ok(())
}

/// Spawns tasks that end, that wait, that are woken by each other, and jobs.
fn fill(runtime: &Handle, ledger: &Arc<Ledger>) {
    let spawn = |work: Work| {
        let entry = ledger.open(Kind::Task);
        runtime.spawn(async move {
            let _entry = entry;
            work.run().await;
        })
    };
    for _ in 0..fastrand::u32(1..6) {
        for work in [Work::End, Work::Wait, Work::Sleep, Work::Talk, Work::Pass, Work::Spawn(Arc::clone(ledger))] {
            drop(spawn(work));
        }
    }
    let entry = ledger.open(Kind::Task);
    drop(runtime.spawn_blocking(move || {
        thread::sleep(Duration::from_micros(300));
        drop(entry);
    }));
}

enum Work {
    End,
    Wait,
    Sleep,
    Talk,
    Pass,
    Spawn(Arc<Ledger>),
}

impl Work {
    async fn run(self) {
        match self {
            Self::End => {}
            Self::Wait => pending().await,
            Self::Sleep => sleep(Duration::from_micros(fastrand::u64(..3000))).await,
            // An error means that the runtime ends.
            Self::Talk => drop(talk().await),
            Self::Pass => pass().await,
            Self::Spawn(ledger) => {
                let entry = ledger.open(Kind::Task);
                let _ = wsrt::spawn(async move {
                    let _entry = entry;
                    sleep(Duration::from_secs(1000)).await;
                })
                .await;
            }
        }
    }
}

/// Over its own connection.
async fn talk() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut client = TcpStream::connect(listener.local_addr()?).await?;
    let (mut server, _) = listener.accept().await?;
    for _ in 0..10 {
        client.write_all(b"ping").await?;
        server.read_exact(&mut [0; 4]).await?;
    }
    // Waits forever: both ends are here.
    client.read(&mut [0; 1]).await.map(drop)
}

async fn pass() {
    let (sender, mut receiver) = mpsc::channel(1);
    let passing = wsrt::spawn(async move {
        for number in 0..1000 {
            if sender.send(number).await.is_err() {
                return;
            }
        }
    });
    while receiver.recv().await.is_some() {}
    let _ = passing.await;
}

/// In each of the ways that there are.
fn end(runtime: Runtime) {
    match fastrand::u8(..4) {
        0 => drop(runtime),
        1 => runtime.shutdown_timeout(Duration::from_millis(fastrand::u64(..5))),
        2 => runtime.shutdown_background(),
        _ => {
            let drained = runtime.drain(Instant::now() + Duration::from_millis(1));
            drop((drained, runtime));
        }
    }
}
