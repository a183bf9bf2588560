//! One task sends, another receives what is there at once.

use super::one_to_one::round;
use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncChannel, Batches, Flume, Kanal, ROOM, Tokio, Wsrt, WsrtMpmc};
use crate::workloads::{Figures, rounds};

const ABOUT: About = about(
    "recv_many",
    "one task sends to another, which takes all that is there, at most 64 values, at once; per value",
    50_000,
    10,
);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio, WsrtMpmc, AsyncChannel, Flume, Kanal]) }
}

fn run<R: Runtime, Q: Batches>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, |size| round::<R, Q, _>(size, receive::<Q>))
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
