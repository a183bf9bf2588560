//! Two tasks that set a value for each other by turns.

use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{Tokio, Watch, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const ABOUT: About =
    about("watch", "a number goes to and fro over two watch channels, and grows; per round trip", 10_000, 10);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio]) }
}

fn run<R: Runtime, L: Watch>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R, L>)
}

async fn round<R: Runtime, L: Watch>(size: usize) -> Round {
    let (there, from_there) = L::make();
    let (back, mut from_back) = L::make();
    let start = Instant::now();
    let returns = R::spawn(give_back::<L>(from_there, back));
    let serves = R::spawn(async move {
        let mut number = 1;
        for _ in 0..size {
            L::send(&there, number);
            number = L::next(&mut from_back).await.expect("the other task is gone");
        }
        number
    });
    let number = serves.await;
    let returned = returns.await;
    let round = Round::since(start, size);
    assert_eq!((number, returned), (1 + 2 * size, size), "the number and the returns");
    round
}

/// Returns each number greater by two, as long as they come; hands over how many came.
async fn give_back<L: Watch>(mut there: L::Receiver, back: L::Sender) -> usize {
    let mut returned = 0;
    while let Some(number) = L::next(&mut there).await {
        returned += 1;
        L::send(&back, number + 2);
    }
    returned
}
