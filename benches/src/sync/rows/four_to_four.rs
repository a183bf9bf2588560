//! Four tasks send, four others receive: each value goes to one of them.

use std::time::Instant;

use super::one_to_one::{receive, send};
use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncChannel, Flume, Kanal, ManyReceivers, Queue, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const SENDERS: usize = 4;
const RECEIVERS: usize = 4;

const ABOUT: About = about("four_to_four", "four tasks send to four, with room for 64 values; per value", 50_000, 10);

pub(super) fn row<R: Runtime>() -> Row<R> {
    type S<L> = ManyReceivers<L>;
    Row { about: ABOUT, libraries: entries!(run, R, [S<Wsrt>, S<Tokio>, S<AsyncChannel>, S<Flume>, S<Kanal>]) }
}

fn run<R: Runtime, Q: Queue>(runtime: &R, plan: &Plan) -> Figures
where
    Q::Receiver: Clone,
{
    rounds::in_task(runtime, plan, &ABOUT, round::<R, Q>)
}

async fn round<R: Runtime, Q: Queue>(size: usize) -> Round
where
    Q::Receiver: Clone,
{
    let each = size.div_ceil(SENDERS);
    let (sender, receiver) = Q::make();
    let start = Instant::now();
    let receiving: Vec<_> = (0..RECEIVERS).map(|_| R::spawn(receive::<Q>(receiver.clone()))).collect();
    let sending: Vec<_> = (0..SENDERS).map(|_| R::spawn(send::<R, Q>(sender.clone(), each))).collect();
    drop((sender, receiver));
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
