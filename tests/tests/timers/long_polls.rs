//! Timers beside tasks whose polls are long.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::task::yield_now;
use wsrt::time::{Instant, sleep_until};
use wsrt_tests::{spin_for, within_a_minute};

/// Tasks that compute, so many that a task behind all of them waits for as many polls.
const COMPUTING: usize = 12;
const POLL: Duration = Duration::from_millis(1);
const TICKS: usize = 20;

/// The tasks that compute, and the polls that they have begun since the deadline of the tick.
#[derive(Default)]
struct Load {
    is_over: AtomicBool,
    /// In nanoseconds after the start; 0 where no tick is due.
    deadline: AtomicU64,
    polls_begun_late: AtomicUsize,
}

impl Load {
    async fn compute(self: Arc<Self>, start: Instant) {
        while !self.is_over.load(SeqCst) {
            let deadline = self.deadline.load(SeqCst);
            if deadline != 0 && start.elapsed().as_nanos() as u64 > deadline {
                self.polls_begun_late.fetch_add(1, SeqCst);
            }
            spin_for(POLL);
            yield_now().await;
        }
    }
}

/// Polls that began between a deadline and the task that slept until then, in four of five ticks
/// at most.
async fn polls_before_a_tick() -> usize {
    let (load, start) = (Arc::new(Load::default()), Instant::now());
    let computing: Vec<_> = (0..COMPUTING).map(|_| wsrt::spawn(Arc::clone(&load).compute(start))).collect();
    let mut waits = Vec::new();
    for _ in 0..TICKS {
        let deadline = Instant::now() + 5 * POLL / 2;
        load.polls_begun_late.store(0, SeqCst);
        load.deadline.store((deadline - start).as_nanos() as u64, SeqCst);
        sleep_until(deadline).await;
        load.deadline.store(0, SeqCst);
        waits.push(load.polls_begun_late.load(SeqCst));
    }
    load.is_over.store(true, SeqCst);
    for task in computing {
        task.await.expect("no task panics");
    }
    waits.sort_unstable();
    waits[TICKS * 4 / 5]
}

#[test]
fn a_due_timer_comes_before_tasks_with_long_polls() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(1).build().expect("a runtime");
        let ticks = runtime.spawn(polls_before_a_tick());
        let polls = runtime.block_on(ticks).expect("it does not panic");
        assert!(polls <= 3, "{polls} polls began before the task of a due timer");
    });
}
