//! A million connections, each with its time limit: armed, held, and dropped.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use super::{About, Failure, Figures, Plan, Round, Runtime};
use crate::metric::Metric;
use crate::usage::{Usage, resident_bytes};

/// No task waits until then.
const LIMIT: Duration = Duration::from_secs(3_600);
/// For so long all are held, with nothing to do.
const REST: Duration = Duration::from_millis(200);

pub(super) const ABOUT: About = About {
    name: "timer_hold",
    summary: "a task arms 1,000,000 timers, holds them for 200 ms (whose processor time is a row), and drops them; per timer",
    size: 1_000_000,
    rounds: 1,
    bare: None,
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let size = plan.size(&ABOUT);
    // Only fresh memory shows a timer's size: one round, and the first one.
    let held = runtime.run(async move { R::spawn(round::<R>(size)).await })?;
    let size = size as f64;
    Ok(vec![
        held.round.per_operation(),
        Metric::CPU_MICROSECONDS_PER_TIMER.of(held.cpu_at_rest.as_secs_f64() * 1e6 / size),
        Metric::BYTES_PER_TIMER.of(held.bytes as f64 / size),
    ])
}

struct Held {
    /// The time to arm and to drop.
    round: Round,
    cpu_at_rest: Duration,
    bytes: u64,
}

async fn round<R: Runtime>(size: usize) -> Result<Held, Failure> {
    let before = resident_bytes()?;
    let start = Instant::now();
    // Deadlines a moment apart, as they come.
    let mut timers: Vec<_> = (0..size).map(|_| Box::pin(R::sleep_until(Instant::now() + LIMIT))).collect();
    for timer in &mut timers {
        assert!(!is_over(timer.as_mut()).await, "a timer was early by {LIMIT:?}");
    }
    let arming = start.elapsed();
    let bytes = resident_bytes()?.saturating_sub(before);

    let used = Usage::now()?;
    R::sleep_until(Instant::now() + REST).await;
    let cpu_at_rest = Usage::now()?.since(used).cpu;

    let start = Instant::now();
    drop(timers);
    let dropping = Round::since(start, size);
    Ok(Held { round: Round { elapsed: arming + dropping.elapsed, ..dropping }, cpu_at_rest, bytes })
}

async fn is_over(mut timer: Pin<&mut impl Future>) -> bool {
    poll_fn(|cx| Poll::Ready(timer.as_mut().poll(cx).is_ready())).await
}
