//! Steals and nothing else: how many one Redis can bear.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fastrand::Rng;
use wsrt::task::JoinSet;
use wsrt_cluster::store::{Outcome, RedisStore, Store};

use crate::{Failure, LIMIT, Target};

/// So many that a victim seldom has none: the jobs only move.
const JOBS_PER_WORKER: u64 = 50;

/// Measures steals a second.
pub(crate) async fn measure(target: &Target, workers: usize, steals: u64) -> Result<f64, Failure> {
    let names: Vec<_> = (0..workers).map(|number| format!("w{number}")).collect();
    let mut stores = Vec::new();
    for _ in 0..workers {
        stores.push(target.open().await?);
    }
    let jobs = JOBS_PER_WORKER * workers as u64;
    stores[0].init(&names, jobs).await?;

    let start = Instant::now();
    let done = Arc::new(AtomicU64::new(0));
    let mut thieves = JoinSet::new();
    for (number, store) in stores.iter().enumerate() {
        let victims = names.iter().filter(|name| **name != names[number]).cloned().collect();
        thieves.spawn(thieve(Arc::clone(store), names[number].clone(), victims, Arc::clone(&done), steals));
    }
    let mut found = 0;
    while let Some(thief) = thieves.join_next().await {
        found += thief??;
    }
    let took = start.elapsed();

    let census = stores[0].census().await?;
    let queued = census.queued.len() as u64;
    stores[0].clear().await?;
    if queued != jobs {
        return Err(format!("there were {jobs} jobs, and there are {queued}").into());
    }
    let rate = found as f64 / took.as_secs_f64();
    println!("{workers} workers, a connection each: {found} steals in {took:.2?}: {rate:.0} a second");
    Ok(rate)
}

/// Steals until all together have stolen enough, or it takes too long.
async fn thieve(
    store: Arc<RedisStore>,
    name: String,
    mut victims: Vec<String>,
    done: Arc<AtomicU64>,
    enough: u64,
) -> Outcome<u64> {
    let mut random = Rng::new();
    let (mut found, start) = (0, Instant::now());
    // Relaxed: it only counts.
    while done.fetch_add(1, Ordering::Relaxed) < enough && start.elapsed() < LIMIT {
        random.shuffle(&mut victims);
        found += u64::from(store.steal(&name, &victims).await?.is_some());
    }
    Ok(found)
}
