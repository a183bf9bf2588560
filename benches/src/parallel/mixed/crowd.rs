//! A parallel loop beside a thousand busy tasks: the share that each keeps of the progress that it
//! makes alone. A fair share is half.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use std::time::{Duration, Instant};

use super::{Endless, Host};
use crate::Failure;
use crate::harness::Series;
use crate::parallel::request::Request;
use crate::parallel::spin::{Speed, spin};
use crate::runtimes::{Tokio, Wsrt};

const TASKS: usize = 1_000;
/// The work of a task between two yields.
const POLL_NANOS: u32 = 5_000;
/// The cost of each index of the loop.
const BODY_NANOS: u32 = 2_000;
const WARM_UP: Duration = Duration::from_millis(100);
const PHASE: Duration = Duration::from_millis(700);

pub(in crate::parallel) fn serve(request: &Request) -> Result<Series, Failure> {
    match &*request.subject {
        "wsrt" => measure::<Wsrt>(request.processors()),
        "tokio + rayon" => measure::<Tokio>(request.processors()),
        other => Err(format!("no runtime {other:?} for the crowd").into()),
    }
}

fn measure<R: Host>(processors: usize) -> Result<Series, Failure> {
    let speed = Speed::measure()?;
    let runtime = R::build(processors)?;
    let loops = Arc::new(R::loops(processors)?);
    let indices = Arc::new(AtomicU64::new(0));
    let polls = Arc::new(AtomicU64::new(0));
    let start_loop = || {
        let (indices, steps) = (Arc::clone(&indices), speed.steps(BODY_NANOS));
        Endless::start(&runtime, &loops, move || {
            spin(steps);
            indices.fetch_add(1, Relaxed);
        })
    };
    let start_crowd = || Crowd::start(&runtime, speed.steps(POLL_NANOS), &polls);

    let endless = start_loop();
    let (loop_alone, _) = rates(&indices, &polls);
    endless.stop(&runtime);

    let crowd = start_crowd();
    let (_, crowd_alone) = rates(&indices, &polls);
    let endless = start_loop();
    let (loop_beside, crowd_beside) = rates(&indices, &polls);
    crowd.stop(&runtime);
    endless.stop(&runtime);

    let mut series = Series::default();
    series.add("loop", [loop_beside / loop_alone]);
    series.add("tasks", [crowd_beside / crowd_alone]);
    Ok(series)
}

/// Returns how fast both counts rise now, for each second.
fn rates(one: &AtomicU64, other: &AtomicU64) -> (f64, f64) {
    thread::sleep(WARM_UP);
    let counts = || (one.load(Relaxed), other.load(Relaxed));
    let (start, before) = (Instant::now(), counts());
    thread::sleep(PHASE);
    let (after, took) = (counts(), start.elapsed().as_secs_f64());
    ((after.0 - before.0) as f64 / took, (after.1 - before.1) as f64 / took)
}

struct Crowd<R: Host> {
    stop: Arc<AtomicBool>,
    tasks: Vec<R::Task<()>>,
}

impl<R: Host> Crowd<R> {
    fn start(runtime: &R, steps: u32, polls: &Arc<AtomicU64>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let handle = runtime.handle();
        let spawn = |_| R::spawn_on(&handle, be_busy::<R>(steps, Arc::clone(polls), Arc::clone(&stop)));
        let tasks = (0..TASKS).map(spawn).collect();
        Self { stop, tasks }
    }

    fn stop(self, runtime: &R) {
        self.stop.store(true, Relaxed);
        for task in self.tasks {
            runtime.block_on(task);
        }
    }
}

async fn be_busy<R: Host>(steps: u32, polls: Arc<AtomicU64>, stop: Arc<AtomicBool>) {
    while !stop.load(Relaxed) {
        spin(steps);
        polls.fetch_add(1, Relaxed);
        R::yield_now().await;
    }
}
