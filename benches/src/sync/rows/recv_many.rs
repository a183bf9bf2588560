//! One task sends, another receives what is there at once.

use std::time::Instant;

use super::one_to_one::send;
use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncChannel, Batches, Flume, Kanal, ROOM, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const ABOUT: About = about(
    "recv_many",
    "one task sends to another, which takes all that is there, at most 64 values, at once; per value",
    50_000,
    10,
);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio, AsyncChannel, Flume, Kanal]) }
}

fn run<R: Runtime, Q: Batches>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R, Q>)
}

async fn round<R: Runtime, Q: Batches>(size: usize) -> Round {
    let (sender, receiver) = Q::make();
    let start = Instant::now();
    let received = R::spawn(receive::<Q>(receiver));
    let sending = R::spawn(send::<R, Q>(sender, size));
    sending.await;
    let received = received.await;
    let round = Round::since(start, size);
    assert_eq!(received, (size, size * (size - 1) / 2), "the values and their sum");
    round
}

/// Hands over how many values came, and their sum.
async fn receive<Q: Batches>(mut receiver: Q::Receiver) -> (usize, usize) {
    let mut values = Vec::with_capacity(ROOM);
    let (mut count, mut sum) = (0, 0);
    loop {
        Q::receive_many(&mut receiver, &mut values).await;
        if values.is_empty() {
            return (count, sum);
        }
        count += values.len();
        sum += values.drain(..).sum::<usize>();
    }
}
