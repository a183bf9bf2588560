//! The cost of feature `console`: nanoseconds for a spawn, a yield and a hand-over, on one thread.
//!
//! ```text
//! cargo run --release --example cost               # feature `console`, and no subscriber
//! cargo run --release --example cost -- watched    # with console-subscriber
//! ```
//!
//! Compare with the same file in a package without the feature.

use std::env;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wsrt::runtime::Builder;
use wsrt::sync::Notify;
use wsrt::task;

const ROUNDS: usize = 9;
const TIMES: u32 = 20_000;

fn main() -> std::io::Result<()> {
    if env::args().nth(1).is_some_and(|word| word == "watched") {
        console_subscriber::init();
    }
    let runtime = Builder::new_current_thread().build()?;
    runtime.run(async {
        for (name, nanos) in [
            ("spawn, one poll, join", median(spawns).await),
            ("yield: a wake by itself and a poll", median(yields).await),
            ("hand-over: a clone, a wake by another, a poll", median(hand_overs).await),
        ] {
            println!("{nanos:>8.0} ns  {name}");
        }
    });
    Ok(())
}

/// The median of some rounds, in nanoseconds for each time.
async fn median(round: impl AsyncFn() -> Duration) -> f64 {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(round().await);
    }
    rounds.sort();
    rounds[ROUNDS / 2].as_secs_f64() * 1e9 / f64::from(TIMES)
}

async fn spawns() -> Duration {
    let began = Instant::now();
    for _ in 0..TIMES {
        task::spawn(async {}).await.expect("it does not panic");
    }
    began.elapsed()
}

async fn yields() -> Duration {
    let began = Instant::now();
    for _ in 0..TIMES {
        task::yield_now().await;
    }
    began.elapsed()
}

/// Two tasks that wake each other in turns.
async fn hand_overs() -> Duration {
    let (ping, pong) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let other = task::spawn(pass_on(Arc::clone(&ping), Arc::clone(&pong)));
    let began = Instant::now();
    ping.notify_one();
    pass_on(pong, ping).await;
    let took = began.elapsed();
    other.await.expect("it does not panic");
    took
}

async fn pass_on(from: Arc<Notify>, to: Arc<Notify>) {
    for _ in 0..TIMES / 2 {
        from.notified().await;
        to.notify_one();
    }
}
