//! Many pairs of short-lived tasks that exchange one message each way.
//!
//! Each pair is two spawns and two one-shot channels. The channels are tokio's on every runtime;
//! `bare` is their own share. On tokio's runtime they also count against its cooperative budget, as
//! they do for its users.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot::{self, Receiver, Sender};

use super::bare::by_turns;
use super::countdown::Countdown;
use super::{About, Bare, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "ping_pong",
    summary: "1,000 pairs of tasks, each two spawns and two one-shot channels; per pair",
    size: 1_000,
    rounds: 50,
    bare: Some(Bare::Round(bare)),
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

async fn round<R: Runtime>(size: usize) -> Round {
    let start = Instant::now();
    let (countdown, end) = Countdown::new(size);
    for number in 0..size {
        R::spawn_detached(pair::<R>(number, Arc::clone(&countdown)));
    }
    // If a pair fails, the countdown dies with its last owner and never sends.
    drop(countdown);
    end.await.expect("a pair was lost or got a wrong answer");
    Round::since(start, size)
}

async fn pair<R: Runtime>(number: usize, countdown: Arc<Countdown>) {
    let (ping, pinged) = oneshot::channel();
    let (pong, ponged) = oneshot::channel();
    R::spawn_detached(answer(pinged, pong));
    ask(number, ping, ponged).await;
    countdown.count();
}

fn bare(size: usize) -> Round {
    let start = Instant::now();
    for number in 0..size {
        let (ping, pinged) = oneshot::channel();
        let (pong, ponged) = oneshot::channel();
        by_turns(ask(number, ping, ponged), answer(pinged, pong));
    }
    Round::since(start, size)
}

async fn ask(number: usize, ping: Sender<usize>, ponged: Receiver<usize>) {
    ping.send(number).expect("the partner is gone");
    let answer = ponged.await.expect("the partner is gone");
    assert_eq!(answer, number + 1, "the answer to {number}");
}

async fn answer(pinged: Receiver<usize>, pong: Sender<usize>) {
    let number = pinged.await.expect("the partner is gone");
    pong.send(number + 1).expect("the partner is gone");
}
