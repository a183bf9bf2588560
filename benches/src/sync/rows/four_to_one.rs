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
    let each = size.div_ceil(SENDERS);
    let (sender, receiver) = Q::make();
    let start = Instant::now();
    let received = R::spawn(receive::<Q>(receiver));
    let sending: Vec<_> = (0..SENDERS).map(|_| R::spawn(send::<R, Q>(sender.clone(), each))).collect();
    drop(sender);
    for task in sending {
        task.await;
    }
    let received = received.await;
    let round = Round::since(start, SENDERS * each);
    assert_eq!(received, (SENDERS * each, SENDERS * (each * (each - 1) / 2)), "the values and their sum");
    round
}
