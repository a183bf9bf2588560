//! An ordinary thread spawns many empty tasks while the workers have much to do: how long an
//! injected task waits.
//!
//! Two kinds of work keep them busy, as in tokio's own benchmarks: tasks that compute and yield, so
//! that there is always something in the queues, and chains of spawns, so that there is always
//! something newer.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::countdown::Countdown;
use super::spawn_outside;
use super::{About, Figures, Measurement, Plan, Round, Runtime, rounds};

/// How long each poll of the crowd lasts.
const POLL: Duration = Duration::from_micros(10);
/// The yielding tasks, for each worker.
const YIELDING_EACH: usize = 2;
const CHAINS: usize = 4;

pub(super) const BESIDE_YIELDS: About = About {
    name: "outside_busy",
    summary: "a thread outside spawns 1,000 empty tasks and awaits them all, beside two tasks for each worker that compute \
              for 10 µs and yield; per task",
    size: 1_000,
    rounds: 10,
    bare: None,
};

pub(super) fn run_beside_yields<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let crowd = YIELDING_EACH * plan.workers;
    Ok(vec![beside(runtime, plan, &BESIDE_YIELDS, crowd, compute_and_yield::<R>)])
}

pub(super) const BESIDE_CHAINS: About = About {
    name: "outside_chains",
    summary: "a thread outside spawns 1,000 empty tasks and awaits them all, beside four chains of tasks that compute for \
              10 µs and spawn the next; per task",
    size: 1_000,
    rounds: 10,
    bare: None,
};

pub(super) fn run_beside_chains<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    let spawn_link = |crowd| async { spawn_link::<R>(crowd) };
    Ok(vec![beside(runtime, plan, &BESIDE_CHAINS, CHAINS, spawn_link)])
}

/// The state that the tasks share that keep the workers busy.
struct Crowd {
    is_over: AtomicBool,
    left: Arc<Countdown>,
}

impl Crowd {
    /// Computes for a while. Says whether to go on; where not, the caller has left.
    fn goes_on(&self) -> bool {
        // Relaxed: a message that nothing else comes with.
        if self.is_over.load(Ordering::Relaxed) {
            self.left.count();
            return false;
        }
        let start = Instant::now();
        while start.elapsed() < POLL {
            hint::spin_loop();
        }
        true
    }
}

/// Ends the crowd also where a round panics.
struct Dismissal<'a>(&'a Crowd);

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

fn beside<R: Runtime, F>(
    runtime: &R,
    plan: &Plan,
    about: &About,
    members: usize,
    member: impl Fn(Arc<Crowd>) -> F,
) -> Measurement
where
    F: Future<Output = ()> + Send + 'static,
{
    let (left, end) = Countdown::new(members);
    let crowd = Arc::new(Crowd { is_over: AtomicBool::new(false), left });
    let handle = runtime.handle();
    let tasks: Vec<_> = (0..members).map(|_| R::spawn_on(&handle, member(Arc::clone(&crowd)))).collect();
    let dismissal = Dismissal(&crowd);
    let total: Round = rounds::repeat_blocking(plan.rounds(about), || spawn_outside::round(runtime, plan.size(about)));
    drop(dismissal);
    drop(crowd);
    runtime.block_on(async {
        for task in tasks {
            task.await;
        }
        end.await.expect("the crowd lost a task");
    });
    total.per_operation()
}

async fn compute_and_yield<R: Runtime>(crowd: Arc<Crowd>) {
    while crowd.goes_on() {
        R::yield_now().await;
    }
}

fn spawn_link<R: Runtime>(crowd: Arc<Crowd>) {
    R::spawn_detached(async move {
        if crowd.goes_on() {
            spawn_link::<R>(crowd);
        }
    });
}
