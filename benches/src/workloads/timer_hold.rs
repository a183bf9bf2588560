//! A million connections, each with its time limit: armed, held, and dropped.

use std::fs;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use super::{About, Round, Workload};
use crate::Failure;
use crate::metric::{Measurement, Metric};
use crate::plan::Plan;
use crate::runtimes::Runtime;

/// Nobody waits for it.
const LIMIT: Duration = Duration::from_secs(3_600);

pub(super) struct TimerHold;

impl Workload for TimerHold {
    const ABOUT: About = About {
        name: "timer_hold",
        summary: "a task arms 1,000,000 timers, holds them all, and drops them; per timer",
        size: 1_000_000,
        rounds: 1,
        bare: None,
    };

    fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Result<Vec<Measurement>, Failure> {
        let size = plan.size(&Self::ABOUT);
        // Fresh memory tells what a timer takes: one round, and the first one.
        let (round, bytes) = runtime.run(round::<R>(size))?;
        Ok(vec![round.per_operation(), Measurement { metric: Metric::BytesPerTimer, value: bytes }])
    }
}

async fn round<R: Runtime>(size: usize) -> Result<(Round, f64), Failure> {
    let before = resident_bytes()?;
    let start = Instant::now();
    // Deadlines a moment apart, as they come.
    let mut timers: Vec<_> = (0..size).map(|_| Box::pin(R::sleep_until(Instant::now() + LIMIT))).collect();
    for timer in &mut timers {
        assert!(!is_over(timer.as_mut()).await, "a timer was early by {LIMIT:?}");
    }
    let grown = resident_bytes()?.saturating_sub(before);
    drop(timers);
    Ok((Round::since(start, size), grown as f64 / size as f64))
}

async fn is_over(mut timer: Pin<&mut impl Future>) -> bool {
    poll_fn(|cx| Poll::Ready(timer.as_mut().poll(cx).is_ready())).await
}

/// The memory of this process that is not swapped out.
fn resident_bytes() -> Result<u64, Failure> {
    const FILE: &str = "/proc/self/statm";
    let text = fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    let pages = text.split_whitespace().nth(1).ok_or_else(|| format!("{FILE}: {text:?} has no second field"))?;
    let pages: u64 = pages.parse().map_err(|error| format!("{FILE}: {pages:?}: {error}"))?;
    Ok(pages * page_size())
}

fn page_size() -> u64 {
    // SAFETY: sysconf reads no memory of ours.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).expect("every system has pages")
}
