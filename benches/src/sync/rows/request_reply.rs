//! One task asks, another answers: to and fro over two channels.

use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncChannel, Flume, Futures, Kanal, Queue, Tokio, Wsrt, WsrtMpmc};
use crate::workloads::{Figures, Round, rounds};

const ABOUT: About = about(
    "request_reply",
    "one task sends a request to another and waits for the reply, over two bounded channels; per request",
    20_000,
    10,
);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio, WsrtMpmc, AsyncChannel, Flume, Kanal, Futures]) }
}

fn run<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R, Q>)
}

async fn round<R: Runtime, Q: Queue>(size: usize) -> Round {
    let ((mut requests, asked), (replies, mut answers)) = (Q::make(), Q::make());
    let start = Instant::now();
    let answering = R::spawn(answer::<Q>(asked, replies));
    let mut value = 0;
    for _ in 0..size {
        Q::send(&mut requests, value).await;
        value = Q::receive(&mut answers).await.expect("the reply");
    }
    drop(requests);
    let answered = answering.await;
    let round = Round::since(start, size);
    assert_eq!((value, answered), (size, size), "the replies");
    round
}

/// Answers each request with the next number, and hands over how many there were.
async fn answer<Q: Queue>(mut asked: Q::Receiver, mut replies: Q::Sender) -> usize {
    let mut answered = 0;
    while let Some(value) = Q::receive(&mut asked).await {
        Q::send(&mut replies, value + 1).await;
        answered += 1;
    }
    answered
}
