//! `run_simulation`: every worker of the cluster is a task, and works off the jobs that are queued.
//!
//! The jobs stand for work elsewhere: one costs time on the worker that has it and nothing on this
//! machine, so that hundreds of workers can be tried on one core. The costs follow [Zipf's
//! law](zipf), and their sum is the one that the message asks for: one worker alone would need that
//! long, so no simulation takes longer, with stealing or without.

mod report;
mod zipf;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use wsrt::task::JoinSet;
use wsrt::time::sleep;

pub use report::{Report, Share};
use zipf::Zipf;

use crate::store::{Outcome, Store, StoreError, Taken};
use crate::worker::keep_while;

/// The lease of a simulated worker. A simulated worker is not killed, but the process may go.
const LEASE: Duration = Duration::from_secs(5);

/// The extent of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The cost of all jobs together.
    pub work: Duration,
    /// Whether workers without jobs steal.
    pub stealing: bool,
    /// Decides about costs and victims.
    pub seed: u64,
}

/// The cost of each job.
#[derive(Debug)]
struct Costs {
    of: HashMap<String, Duration>,
    /// For jobs that were queued later.
    usual: Duration,
}

impl Costs {
    fn deal(jobs: Vec<String>, plan: Plan) -> Self {
        let (zipf, mut random) = (Zipf::new(), Rng::with_seed(plan.seed));
        let sizes: Vec<_> = jobs.iter().map(|_| zipf.draw(&mut random)).collect();
        let unit = plan.work.as_secs_f64() / sizes.iter().sum::<u32>().max(1) as f64;
        let usual = plan.work / u32::try_from(jobs.len().max(1)).unwrap_or(u32::MAX);
        let cost = |size| Duration::from_secs_f64(unit * f64::from(size));
        Self { of: jobs.into_iter().zip(sizes.into_iter().map(cost)).collect(), usual }
    }

    fn of(&self, job: &str) -> Duration {
        self.of.get(job).copied().unwrap_or(self.usual)
    }
}

/// Works off the queued jobs, and reports.
///
/// # Errors
///
/// Returns the errors of the store. The remaining jobs then stay where they are.
///
/// # Cancel safety
///
/// If it is dropped, the jobs in flight go back to their deques when their leases are over.
pub async fn run<S: Store>(store: &Arc<S>, plan: Plan) -> Outcome<Report> {
    let names: Vec<_> = store.workers().await?.into_iter().map(|worker| worker.name).collect();
    let jobs = store.census().await?.queued.into_iter().map(|(_, job)| job).collect();
    let costs = Arc::new(Costs::deal(jobs, plan));

    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for (number, name) in names.iter().enumerate() {
        let actor = Actor {
            store: Arc::clone(store),
            number,
            name: name.clone(),
            costs: Arc::clone(&costs),
            random: Rng::with_seed(plan.seed ^ (number as u64 + 1)),
            overslept: Duration::ZERO,
            share: Share::default(),
        };
        tasks.spawn(actor.run(plan.stealing));
    }
    let mut shares: Vec<_> = names.iter().map(|name| (name.clone(), Share::default())).collect();
    let mut makespan = Duration::ZERO;
    while let Some(ended) = tasks.join_next().await {
        let actor = ended.map_err(|error| StoreError::Failed(format!("a simulated worker: {error}")))??;
        if let Some(last) = actor.last {
            makespan = makespan.max(last - start);
        }
        shares[actor.number].1 = actor.share;
    }
    Ok(Report::new(plan.stealing, shares, makespan))
}

/// One worker in the simulation.
#[derive(Debug)]
struct Actor<S> {
    store: Arc<S>,
    number: usize,
    name: String,
    costs: Arc<Costs>,
    random: Rng,
    /// By how much the last sleep was longer than the job.
    overslept: Duration,
    share: Share,
}

/// An actor that has left the stage.
#[derive(Debug)]
struct Ended {
    number: usize,
    share: Share,
    /// When its last job was done.
    last: Option<Instant>,
}

impl<S: Store> Actor<S> {
    async fn run(mut self, stealing: bool) -> Outcome<Ended> {
        let mut last = None;
        loop {
            let luck = stealing.then(|| self.random.u32(..));
            let Some(next) = self.store.next_job(&self.name, LEASE, luck).await? else {
                return Ok(Ended { number: self.number, share: self.share, last });
            };
            self.share.steals += u64::from(next.victim.is_some());
            last = Some(self.perform(next.taken).await?);
        }
    }

    /// Takes as long as the job costs, and records it. Returns when it was done.
    async fn perform(&mut self, taken: Taken) -> Outcome<Instant> {
        let cost = self.costs.of(&taken.job);
        // A timer is late by up to a millisecond. That is this machine's doing, not the simulated
        // worker's, and so it is taken off the next job; the store's own time is not.
        let owed = std::mem::take(&mut self.overslept);
        let end = Instant::now() + cost;
        let end = end.checked_sub(owed).unwrap_or(end);
        keep_while(&*self.store, &self.name, &taken, LEASE, sleep_until(end)).await?;
        self.overslept = end.elapsed();
        let result = format!("{{\"simulated_us\":{}}}", cost.as_micros());
        self.store.complete(&self.name, &taken.job, Some(taken.attempt), &result).await?;
        self.share.jobs += 1;
        self.share.busy += cost;
        self.share.longest = self.share.longest.max(cost);
        Ok(end)
    }
}

async fn sleep_until(end: Instant) {
    let rest = end.saturating_duration_since(Instant::now());
    if !rest.is_zero() {
        sleep(rest).await;
    }
}
