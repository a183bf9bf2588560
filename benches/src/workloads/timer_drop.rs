//! Timeouts as servers have them: armed for each request, and dropped before they are due.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use super::{About, Figures, Plan, Round, Runtime, rounds};

/// A usual limit for a request.
const LIMIT: Duration = Duration::from_secs(30);
/// Tasks at work for each worker, so that none of the workers is out of work for long.
const TASKS_PER_WORKER: usize = 2;

pub(super) const ABOUT: About = About {
    name: "timer_drop",
    summary: "two tasks for each worker arm a timer of 30 s, drop it, and again, 100,000 times each (the size); per timer",
    size: 100_000,
    rounds: 5,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let rounds = plan.rounds(&ABOUT);
    let size = plan.size(&ABOUT);
    let tasks = plan.workers * TASKS_PER_WORKER;
    let total = runtime.run(rounds::repeat(rounds, move || round::<R>(tasks, size)));
    Ok(vec![total.per_operation()])
}

async fn round<R: Runtime>(count: usize, size: usize) -> Round {
    let start = Instant::now();
    let tasks: Vec<_> = (0..count).map(|_| R::spawn(arms_and_drops::<R>(size))).collect();
    let mut armed = 0;
    for task in tasks {
        armed += task.await;
    }
    let round = Round::since(start, count * size);
    assert_eq!(armed, count * size, "the timers that were armed");
    round
}

async fn arms_and_drops<R: Runtime>(times: usize) -> usize {
    let mut armed = 0;
    while armed < times {
        let mut timer = pin!(R::sleep_until(Instant::now() + LIMIT));
        let is_pending = poll_fn(|cx| Poll::Ready(timer.as_mut().poll(cx).is_pending())).await;
        armed += usize::from(is_pending);
    }
    armed
}
