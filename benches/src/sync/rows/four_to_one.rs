//! Four tasks send, another receives.

use std::time::Instant;

use super::one_to_one::{receive, send};
use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncChannel, Flume, Futures, Kanal, Queue, Tokio, Wsrt, WsrtMpmc};
use crate::workloads::{Figures, Round, rounds};

const SENDERS: usize = 4;

const ABOUT: About = about("four_to_one", "four tasks send to one, with room for 64 values; per value", 50_000, 10);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio, WsrtMpmc, AsyncChannel, Flume, Kanal, Futures]) }
}

fn run<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R, Q>)
}

async fn round<R: Runtime, Q: Queue>(size: usize) -> Round {
    let (sender, receiver) = Q::make();
    send_from_four::<R, Q>(size, sender, vec![receiver]).await
}

/// Four tasks send `size` values together, and each of the `receivers` receives in a task.
pub(super) async fn send_from_four<R, Q>(size: usize, sender: Q::Sender, receivers: Vec<Q::Receiver>) -> Round
where
    R: Runtime,
    Q: Queue,
{
    let each = size.div_ceil(SENDERS);
    let start = Instant::now();
    let receiving: Vec<_> = receivers.into_iter().map(|receiver| R::spawn(receive::<Q>(receiver))).collect();
    let sending: Vec<_> = (0..SENDERS).map(|_| R::spawn(send::<R, Q>(sender.clone(), each))).collect();
    drop(sender);
    for task in sending {
        task.await;
    }
    let mut received = (0, 0);
    for task in receiving {
        let (count, sum) = task.await;
        received = (received.0 + count, received.1 + sum);
    }
    let round = Round::since(start, SENDERS * each);
    assert_eq!(received, (SENDERS * each, SENDERS * (each * (each - 1) / 2)), "the values and their sum");
    round
}
