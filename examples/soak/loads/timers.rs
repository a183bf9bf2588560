//! Timers that fire, are moved, or are cancelled: none is early, each fires once.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use wsrt::time::{Instant, interval, sleep, timeout};

use crate::ledger::Kind;
use crate::soak::Soak;

/// Arms some timers of each kind, again and again.
pub(crate) async fn run(soak: Arc<Soak>) {
    while soak.turn(Duration::ZERO).await {
        match fastrand::u8(..4) {
            0 => sleep_for_a_while(&soak).await,
            1 => move_a_deadline(&soak).await,
            2 => cancel_many(&soak).await,
            _ => tick(&soak).await,
        }
    }
}

fn short() -> Duration {
    Duration::from_micros(fastrand::u64(..5000))
}

async fn sleep_for_a_while(soak: &Soak) {
    let (entry, began, duration) = (soak.ledger.open(Kind::Timer), Instant::now(), short());
    sleep(duration).await;
    soak.ledger.check(began.elapsed() >= duration, || format!("a sleep of {duration:?} was early"));
    entry.settle();
}

/// To an earlier moment, or to a later one, before or after its first poll.
async fn move_a_deadline(soak: &Soak) {
    let entry = soak.ledger.open(Kind::Timer);
    let mut moved = pin!(sleep(if fastrand::bool() { short() } else { Duration::from_secs(3600) }));
    if fastrand::bool() {
        let _ = timeout(short() / 4, moved.as_mut()).await;
    }
    let deadline = Instant::now() + short();
    moved.as_mut().reset(deadline);
    moved.await;
    soak.ledger.check(Instant::now() >= deadline, || "a sleep that was moved is early".into());
    entry.settle();
}

/// Tasks that wait for hours, and are aborted.
async fn cancel_many(soak: &Soak) {
    let entry = soak.ledger.open(Kind::Timer);
    let patient: Vec<_> = (0..20)
        .map(|_| soak.spawn(timeout(Duration::from_secs(fastrand::u64(1000..100_000)), pending::<()>())))
        .collect();
    sleep(short() / 4).await;
    for task in &patient {
        task.abort();
    }
    for task in patient {
        let is_cancelled = task.await.is_err_and(|error| error.is_cancelled());
        soak.ledger.check(is_cancelled, || "a timer of hours has fired".into());
    }
    entry.settle();
}

async fn tick(soak: &Soak) {
    let (entry, began) = (soak.ledger.open(Kind::Timer), Instant::now());
    let period = Duration::from_micros(fastrand::u64(100..1000));
    let mut ticks = interval(period);
    for number in 0..5 {
        ticks.tick().await;
        soak.ledger.check(began.elapsed() >= period * number, || format!("tick {number} of {period:?} was early"));
    }
    entry.settle();
}
