//! One task sends, and four receive each value.
//!
//! After some values the sender waits until all receivers have them: none lags, and so none loses
//! a value. It waits on async-channel's channel with every library.

use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{Broadcast, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const RECEIVERS: usize = 4;
/// The values that are sent before the sender waits.
const BURST: usize = 64;

const ABOUT: About =
    about("broadcast", "one task sends to four, and waits for all of them after each 64 values; per value", 20_000, 10);

pub(super) fn row<R: Runtime>() -> Row<R> {
    Row { about: ABOUT, libraries: entries!(run, R, [Wsrt, Tokio]) }
}

fn run<R: Runtime, L: Broadcast>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R, L>)
}

async fn round<R: Runtime, L: Broadcast>(size: usize) -> Round {
    let sender = L::make(BURST);
    let (arrival, arrived) = async_channel::bounded(RECEIVERS);
    let receivers: Vec<_> = (0..RECEIVERS).map(|_| L::subscribe(&sender)).collect();
    let start = Instant::now();
    let receive = |receiver| R::spawn(receive::<L>(receiver, arrival.clone()));
    let receiving: Vec<_> = receivers.into_iter().map(receive).collect();
    let sending = R::spawn(async move {
        for value in 0..size {
            L::send(&sender, value);
            if value % BURST == BURST - 1 {
                for _ in 0..RECEIVERS {
                    arrived.recv().await.expect("a receiver is gone");
                }
            }
        }
    });
    sending.await;
    for task in receiving {
        assert_eq!(task.await, (size, size * (size - 1) / 2), "the values of a receiver and their sum");
    }
    Round::since(start, size)
}

/// Hands over how many values came, and their sum.
async fn receive<L: Broadcast>(mut receiver: L::Receiver, arrival: async_channel::Sender<()>) -> (usize, usize) {
    let (mut count, mut sum) = (0, 0);
    while let Some(value) = L::receive(&mut receiver).await {
        count += 1;
        sum += value;
        if count % BURST == 0 {
            arrival.send(()).await.expect("the sender is gone");
        }
    }
    (count, sum)
}
