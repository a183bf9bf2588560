//! Four tasks send, four others receive: each value goes to one of them.

use super::four_to_one::send_from_four;
use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{AsyncChannel, Flume, Kanal, ManyReceivers, Queue, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

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
    let (sender, receiver) = Q::make();
    send_from_four::<R, Q>(size, sender, vec![receiver; RECEIVERS]).await
}
