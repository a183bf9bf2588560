//! Channels for one value, made, sent and received by one task: sent first, or waited for first.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Instant;

use super::{About, Row, about, entries};
use crate::plan::Plan;
use crate::runtimes::Runtime;
use crate::sync::libraries::{Futures, Oneshot, Tokio, Wsrt};
use crate::workloads::{Figures, Round, rounds};

const READY: About = about("oneshot", "one task makes a channel for one value, sends and receives", 20_000, 50);
const WAITED_FOR: About =
    about("oneshot_wait", "likewise, but the task polls the receiver before it sends, and so wakes itself", 20_000, 20);

pub(super) fn ready<R: Runtime>() -> Row<R> {
    Row { about: READY, libraries: entries!(run_ready, R, [Wsrt, Tokio, Futures]) }
}

pub(super) fn waited_for<R: Runtime>() -> Row<R> {
    Row { about: WAITED_FOR, libraries: entries!(run_waited_for, R, [Wsrt, Tokio, Futures]) }
}

fn run_ready<R: Runtime, L: Oneshot>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &READY, |size| async move {
        let mut sum = 0;
        let start = Instant::now();
        for value in 0..size {
            let (sender, receiver) = L::make();
            L::send(sender, value).await;
            sum += L::receive(receiver).await;
        }
        done(start, size, sum)
    })
}

fn run_waited_for<R: Runtime, L: Oneshot>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &WAITED_FOR, |size| async move {
        let mut sum = 0;
        let start = Instant::now();
        for value in 0..size {
            let (sender, receiver) = L::make();
            let mut received = pin!(L::receive(receiver));
            poll_fn(|cx| {
                assert!(received.as_mut().poll(cx).is_pending(), "nothing was sent");
                Poll::Ready(())
            })
            .await;
            L::send(sender, value).await;
            sum += received.await;
        }
        done(start, size, sum)
    })
}

fn done(start: Instant, size: usize, sum: usize) -> Round {
    let round = Round::since(start, size);
    assert_eq!(sum, size * (size - 1) / 2, "the values");
    round
}
