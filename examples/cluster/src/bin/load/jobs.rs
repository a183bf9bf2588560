//! Whole jobs: workers as in the cluster, each with a connection of its own, and all jobs with the
//! first of them at the start.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use wsrt::task::JoinSet;
use wsrt::time::sleep;
use wsrt_cluster::store::{Outcome, RedisStore, Store};
use wsrt_cluster::worker::{Event, Worker};

use crate::{Failure, LIMIT, Target};

const LEASE: Duration = Duration::from_secs(5);
/// How many submit at a time.
const SUBMITTERS: u64 = 16;

/// The work of the workers.
#[derive(Default)]
struct Tally {
    recorded: AtomicU64,
    stolen: AtomicU64,
}

/// Measures jobs a second.
pub(crate) async fn measure(target: &Target, workers: usize, jobs: u64, wait: Duration) -> Result<f64, Failure> {
    let store = target.open().await?;
    let names: Vec<_> = (0..workers).map(|number| format!("w{number}")).collect();
    store.init(&names[..1], 0).await?;
    submit(&store, &names[0], jobs, wait).await?;

    let tally = Arc::new(Tally::default());
    let mut crew = JoinSet::new();
    let mut ready = Vec::new();
    for (name, seed) in names.into_iter().zip(1..) {
        let told = Arc::clone(&tally);
        let tell = move |event| match event {
            // Relaxed: they only count.
            Event::Recorded(..) => drop(told.recorded.fetch_add(1, Ordering::Relaxed)),
            Event::Stole(..) => drop(told.stolen.fetch_add(1, Ordering::Relaxed)),
            _ => {}
        };
        ready.push(Worker::new(target.open().await?, name, LEASE, seed, tell));
    }
    let start = Instant::now();
    for worker in ready {
        let tally = Arc::clone(&tally);
        crew.spawn(worker.run(move || tally.recorded.load(Ordering::Relaxed) >= jobs || start.elapsed() > LIMIT));
    }
    while tally.recorded.load(Ordering::Relaxed) < jobs && start.elapsed() < LIMIT {
        sleep(Duration::from_millis(1)).await;
    }
    let took = start.elapsed();
    while let Some(worker) = crew.join_next().await {
        worker??;
    }

    let done = store.census().await?.done.len() as u64;
    store.clear().await?;
    if done != jobs {
        return Err(format!("{done} of {jobs} jobs have a result after {took:.2?}").into());
    }
    let rate = jobs as f64 / took.as_secs_f64();
    let stolen = tally.stolen.load(Ordering::Relaxed);
    let ideal = wait.as_secs_f64() * jobs as f64 / workers as f64;
    println!(
        "{workers} workers, a connection each: {jobs} jobs of {wait:?} in {took:.2?}: {rate:.0} jobs and {:.0} steals a second; \
         without any overhead {ideal:.2} s",
        stolen as f64 / took.as_secs_f64()
    );
    Ok(rate)
}

async fn submit(store: &Arc<RedisStore>, worker: &str, jobs: u64, wait: Duration) -> Result<(), Failure> {
    let payload = format!("{{\"wait_us\":{}}}", wait.as_micros());
    let mut submitters = JoinSet::new();
    for number in 0..SUBMITTERS {
        let (store, worker, payload) = (Arc::clone(store), worker.to_owned(), payload.clone());
        submitters.spawn(async move {
            for _ in (number..jobs).step_by(SUBMITTERS as usize) {
                store.submit(&worker, None, &payload).await?;
            }
            Outcome::Ok(())
        });
    }
    while let Some(submitter) = submitters.join_next().await {
        submitter??;
    }
    Ok(())
}
