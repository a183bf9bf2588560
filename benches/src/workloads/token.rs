//! A token goes to and fro between two tasks over two bounded channels with room for one.
//!
//! The channels are async-channel's on every runtime; `bare` is their own share.

use std::time::Instant;

use async_channel::{Receiver, Sender};

use super::bare::by_turns;
use super::{About, Bare, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "token",
    summary: "two tasks hand a token to and fro over bounded(1) channels, 10,000 times; per round trip",
    size: 10_000,
    rounds: 10,
    bare: Some(Bare::Round(bare)),
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

async fn round<R: Runtime>(size: usize) -> Round {
    let (there, from_there) = async_channel::bounded(1);
    let (back, from_back) = async_channel::bounded(1);
    let start = Instant::now();
    let returner = R::spawn(returns(from_there, back));
    let token = serves(there, from_back, size).await;
    let returned = returner.await;
    let round = Round::since(start, size);
    check(token, returned, size);
    round
}

fn bare(size: usize) -> Round {
    let (there, from_there) = async_channel::bounded(1);
    let (back, from_back) = async_channel::bounded(1);
    let start = Instant::now();
    let (token, returned) = by_turns(serves(there, from_back, size), returns(from_there, back));
    let round = Round::since(start, size);
    check(token, returned, size);
    round
}

fn check(token: usize, returned: usize, size: usize) {
    assert_eq!((token, returned), (size, size), "the token's count and the returns");
}

/// Sends the token away and takes it back `times` times; hands over the number that it has grown
/// to.
async fn serves(there: Sender<usize>, back: Receiver<usize>, times: usize) -> usize {
    let mut token = 0;
    for _ in 0..times {
        there.send(token).await.expect("the other task is gone");
        token = back.recv().await.expect("the other task is gone");
    }
    token
}

/// Returns the token, one greater, as long as it comes; hands over how often it came.
async fn returns(there: Receiver<usize>, back: Sender<usize>) -> usize {
    let mut returned = 0;
    while let Ok(token) = there.recv().await {
        returned += 1;
        back.send(token + 1).await.expect("the other task is gone");
    }
    returned
}
