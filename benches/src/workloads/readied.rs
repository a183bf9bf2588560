//! A task that is readied by one which then computes, while another worker is idle.
//!
//! A runtime that keeps the readied task for the worker that is at hand, where it usually runs a
//! moment later, has to notice that this time it does not.

use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use super::{About, Failure, Figures, Plan, Runtime};
use crate::clockwork::spin;
use crate::measure::quantile;
use crate::metric::Metric;

/// The pause after which a runtime has come to rest.
const REST: Duration = Duration::from_millis(10);
/// For how long a worker is busy with short polls first, where it is.
const BUSY: Duration = Duration::from_millis(50);

pub(super) const AT_REST: About = About {
    name: "readied",
    summary: "a task readies another and computes for 100 ms (the size), the runtime at rest before: until the other runs",
    size: 100,
    rounds: 15,
    bare: None,
};

pub(super) const BUSY_BEFORE: About = About {
    name: "readied_busy",
    summary: "the same, after the task has yielded for 50 ms, the other workers idle: until the other task runs",
    ..AT_REST
};

pub(super) fn run_at_rest<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    run(runtime, plan, &AT_REST, Duration::ZERO)
}

pub(super) fn run_busy_before<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    run(runtime, plan, &BUSY_BEFORE, BUSY)
}

fn run<R: Runtime>(runtime: &R, plan: &Plan, about: &About, busy: Duration) -> Figures {
    let compute = Duration::from_millis(plan.size(about) as u64);
    let mut waits = Vec::new();
    for _ in 0..plan.rounds(about).measured {
        waits.push(wait_once(runtime, busy, compute)?.as_secs_f64() * 1e6);
        thread::sleep(REST);
    }
    waits.sort_by(f64::total_cmp);
    Ok(vec![
        Metric::MEDIAN_MICROSECONDS.of(quantile(&waits, 0.5)),
        Metric::WORST_MICROSECONDS.of(quantile(&waits, 0.99)),
    ])
}

fn wait_once<R: Runtime>(runtime: &R, busy: Duration, compute: Duration) -> Result<Duration, Failure> {
    let (ran, has_run) = channel();
    runtime.run(async move {
        let start = Instant::now();
        while start.elapsed() < busy {
            R::yield_now().await;
        }
        let readied = Instant::now();
        R::spawn_detached(async move {
            // The thread outside waits for it.
            let _sent = ran.send(readied.elapsed());
        });
        spin(compute);
    });
    Ok(has_run.recv()?)
}
