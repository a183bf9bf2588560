//! Work stealing at work: `WSRT_SCHEDTRACE=100 cargo run --release --example imbalanced`.
//!
//! One task spawns 1,000 others, all on the processor that it runs on, and each computes for
//! a million steps without ever waiting. The tasks that do not fit into that processor's ring go to
//! the injector; processors that run out of tasks steal half of the ring, again and again. The
//! trace shows it as it happens: the queue lengths in brackets level out while `steal=` and
//! `stolen=` rise. In the end this program reports how many each machine ran, and how long all of
//! it took, beside the expected time.
//!
//! The number of processors may be given as an argument.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::thread::{self, ThreadId, available_parallelism};
use std::time::{Duration, Instant};

use wsrt::runtime::Builder;

const TASKS: usize = 1_000;
const STEPS: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let processors: NonZeroUsize = match std::env::args().nth(1) {
        Some(argument) => {
            argument.parse().map_err(|error| format!("`{argument}` is not a number of processors: {error}"))?
        }
        None => available_parallelism()?,
    };
    let alone = time_of(|| (0..TASKS).for_each(|_| compute()));

    let runtime = Builder::new_multi_thread().worker_threads(processors.get()).build()?;
    let report = runtime.run(share_out());
    report.print(alone, processors);
    Ok(())
}

/// The work of one task.
fn compute() {
    let mut value = 0_u64;
    for step in 0..STEPS {
        value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step));
    }
    black_box(value);
}

fn time_of(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The number of tasks that each machine ran, the machine that spawned them, and the time until the
/// last was done.
struct Report {
    born_on: ThreadId,
    ran_on: BTreeMap<String, usize>,
    moved: usize,
    took: Duration,
}

/// Spawns all tasks from this one, and waits for them.
async fn share_out() -> Report {
    let born_on = thread::current().id();
    let start = Instant::now();
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            wsrt::spawn(async {
                compute();
                thread::current().id()
            })
        })
        .collect();

    let mut report = Report { born_on, ran_on: BTreeMap::new(), moved: 0, took: Duration::ZERO };
    for task in tasks {
        let machine = task.await.expect("computing does not panic");
        report.moved += usize::from(machine != born_on);
        *report.ran_on.entry(format!("{machine:?}")).or_default() += 1;
    }
    report.took = start.elapsed();
    report
}

impl Report {
    fn print(&self, alone: Duration, processors: NonZeroUsize) {
        let ideal = alone.as_secs_f64() / processors.get() as f64;
        println!(
            "{TASKS} tasks of {STEPS} steps, all born on machine {:?}; {} of them ran elsewhere:",
            self.born_on, self.moved
        );
        for (machine, count) in &self.ran_on {
            println!("  {machine:<14} ran {count:>4} tasks");
        }
        println!("total work        {:>8.1} ms, one after the other", alone.as_secs_f64() * 1e3);
        println!("ideal             {:>8.1} ms on {processors} processors", ideal * 1e3);
        println!("actual            {:>8.1} ms", self.took.as_secs_f64() * 1e3);
        println!("actual : ideal    {:>8.3}", self.took.as_secs_f64() / ideal);
    }
}
