//! A chain of spawns: each task spawns the next and ends; the last one reports to the task that
//! began.

use std::time::Instant;

use tokio::sync::oneshot::{self, Sender};

use super::{About, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "chain",
    summary: "a task spawns the next one and ends, to a depth of 1,000; per task",
    size: 1_000,
    rounds: 200,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

async fn round<R: Runtime>(size: usize) -> Round {
    let (done, end) = oneshot::channel();
    let start = Instant::now();
    spawn_link::<R>(size, 0, done);
    let links = end.await.expect("a link of the chain was lost");
    let round = Round::since(start, size);
    assert_eq!(links, size, "the links of the chain");
    round
}

/// Spawns the link that has `left - 1` more to come and `before` ones behind it.
fn spawn_link<R: Runtime>(left: usize, before: usize, done: Sender<usize>) {
    if left == 0 {
        // The receiver is awaited until this arrives.
        let _sent = done.send(before);
        return;
    }
    R::spawn_detached(async move { spawn_link::<R>(left - 1, before + 1, done) });
}
