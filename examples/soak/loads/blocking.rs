//! Calls that block: on the pool's threads, in place, and around other futures.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use wsrt::runtime::Handle;
use wsrt::sync::mpsc;
use wsrt::task::{block_in_place, spawn_blocking};

use crate::ledger::Kind;
use crate::soak::Soak;

/// Blocks in one way after the other.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::from_millis(1)).await {
        let entry = soak.ledger.open(Kind::Job);
        let fault = match fastrand::u8(..4) {
            0 => on_the_pool().await,
            1 => in_place(&soak),
            2 => around_a_future(&soak),
            _ => between_a_thread_and_a_task().await,
        };
        soak.ledger.check(fault.is_none(), || fault.unwrap_or_default());
        entry.settle();
    }
}

fn block_shortly() {
    thread::sleep(Duration::from_micros(fastrand::u64(..500)));
}

/// Several jobs, one of which panics and harms none but itself.
async fn on_the_pool() -> Option<String> {
    let jobs: Vec<_> = (0..5)
        .map(|number| {
            spawn_blocking(move || {
                block_shortly();
                if number == 3 {
                    // Without the panic hook, which would write a line each time.
                    std::panic::resume_unwind(Box::new("as planned"));
                }
                number
            })
        })
        .collect();
    for (number, job) in jobs.into_iter().enumerate() {
        match job.await {
            Ok(result) if result == number => {}
            Err(error) if error.is_panic() && number == 3 => {}
            other => return Some(format!("blocking job {number} returned {other:?}")),
        }
    }
    None
}

fn in_place(soak: &Soak) -> Option<String> {
    let beside = soak.spawn(async { 7 });
    block_in_place(block_shortly);
    beside.abort();
    None
}

/// `block_on` in a task, of a future that other tasks make ready.
fn around_a_future(soak: &Soak) -> Option<String> {
    let other = soak.spawn(async {
        wsrt::time::sleep(Duration::from_micros(100)).await;
        7
    });
    let result = Handle::current().block_on(other);
    (!matches!(result, Ok(7))).then(|| format!("a task returned {result:?} to a nested `block_on`"))
}

async fn between_a_thread_and_a_task() -> Option<String> {
    const COUNT: u32 = 20;
    let (sender, mut receiver) = mpsc::channel(2);
    let sending = spawn_blocking(move || (0..COUNT).all(|number| sender.blocking_send(number).is_ok()));
    let mut received = 0;
    while let Some(number) = receiver.recv().await {
        if number != received {
            return Some(format!("a thread's message {number} came for {received}"));
        }
        received += 1;
    }
    let is_sent = sending.await.unwrap_or(false);
    (received != COUNT || !is_sent).then(|| format!("a thread's {COUNT} messages ended after {received}"))
}
