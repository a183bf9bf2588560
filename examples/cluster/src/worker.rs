//! A worker: takes from the front of its own deque, steals when that is empty, and records the
//! result of each job.
//!
//! It may be killed at any point. Its queued jobs can be stolen as ever; its current job goes back
//! to its deque when the lease is over. A result counts only if the lease was the worker's own to
//! the end, so that a worker that was stopped for too long, and goes on as if nothing had happened,
//! gets the reply that the job is no longer its own.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use wsrt::time::{sleep, timeout};

use crate::job;
use crate::store::{FORGET_AFTER, Outcome, Store, StoreError, Taken};

/// How many times a lease is renewed in its own time, so that one renewal that is late does no
/// harm.
const RENEWALS_PER_LEASE: u32 = 3;
/// How long a worker without work sleeps at first, and how long at most.
const SHORTEST_NAP: Duration = Duration::from_millis(1);
const LONGEST_NAP: Duration = Duration::from_millis(128);
/// How long a worker waits at first for a store that is away, and how long at most.
const FIRST_PATIENCE: Duration = Duration::from_millis(20);
const LAST_PATIENCE: Duration = Duration::from_millis(500);

/// A worker's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It has stolen a job from this worker.
    Stole(String, String),
    /// The job's result is recorded: the job, and which attempt it was.
    Recorded(String, u64),
    /// The job belonged to another worker when it was done.
    TooLate(String),
    /// The store is away, for this reason.
    StoreIsAway(String),
    /// The store is back.
    StoreIsBack,
}

/// One worker of the cluster.
pub struct Worker<S> {
    store: Arc<S>,
    name: String,
    lease: Duration,
    random: Rng,
    next_expiry: Instant,
    store_is_away: bool,
    tell: Box<dyn Fn(Event) + Send>,
}

impl<S> std::fmt::Debug for Worker<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("name", &self.name).field("lease", &self.lease).finish_non_exhaustive()
    }
}

impl<S: Store> Worker<S> {
    /// Makes a worker that has not joined yet. It calls `tell` for each event, which must not
    /// block.
    pub fn new(store: Arc<S>, name: String, lease: Duration, seed: u64, tell: impl Fn(Event) + Send + 'static) -> Self {
        Self {
            store,
            name,
            lease,
            random: Rng::with_seed(seed),
            next_expiry: Instant::now(),
            store_is_away: false,
            tell: Box::new(tell),
        }
    }

    /// Joins and works until `is_over` returns true; it is called between jobs.
    ///
    /// # Cancel safety
    ///
    /// To drop it is the same as to kill the process: its job goes to another worker when the lease
    /// is over.
    ///
    /// # Errors
    ///
    /// Returns only an error that waiting does not mend: a store that does not behave as one.
    pub async fn run(mut self, is_over: impl Fn() -> bool + Send) -> Outcome<()> {
        let mut nap = SHORTEST_NAP;
        let mut patience = FIRST_PATIENCE;
        let mut has_joined = false;
        while !is_over() {
            let step = if has_joined { self.step().await } else { self.store.join(&self.name).await.map(|()| true) };
            match step {
                Ok(has_worked) => {
                    has_joined = true;
                    patience = FIRST_PATIENCE;
                    self.tell_that_store(None);
                    if has_worked {
                        nap = SHORTEST_NAP;
                    } else {
                        // Not all at once, and not at the same pace as the others.
                        sleep(nap.mul_f64(0.5 + self.random.f64())).await;
                        nap = (nap * 2).min(LONGEST_NAP);
                    }
                }
                Err(error) if error.is_passing() => {
                    self.tell_that_store(Some(error));
                    sleep(patience).await;
                    patience = (patience * 2).min(LAST_PATIENCE);
                }
                // Forgotten, since it was not seen for long.
                Err(StoreError::UnknownWorker(_)) => has_joined = false,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Does one job, and says whether there was one.
    async fn step(&mut self) -> Outcome<bool> {
        if self.next_expiry <= Instant::now() {
            self.store.expire(FORGET_AFTER).await?;
            // A job of the dead lies idle for up to twice this, on top of the lease. Not all
            // workers look at once.
            self.next_expiry = Instant::now() + self.lease.mul_f64(0.25 + 0.25 * self.random.f64());
        }
        let luck = self.random.u32(..);
        let Some(next) = self.store.next_job(&self.name, self.lease, Some(luck)).await? else { return Ok(false) };
        if let Some(victim) = next.victim {
            (self.tell)(Event::Stole(next.taken.job.clone(), victim));
        }
        self.work_at(next.taken).await?;
        Ok(true)
    }

    async fn work_at(&mut self, taken: Taken) -> Outcome<()> {
        let result = match keep_while(&*self.store, &self.name, &taken, self.lease, job::run(&taken.payload)).await {
            Ok(result) => result.to_string(),
            Err(StoreError::NotHeld { job, .. }) => {
                (self.tell)(Event::TooLate(job));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.record(&taken, &result).await
    }

    /// Records the result however long the store is away. Asking again does no harm: the attempt's
    /// number shows that it is the same result.
    async fn record(&mut self, taken: &Taken, result: &str) -> Outcome<()> {
        let mut patience = FIRST_PATIENCE;
        loop {
            match self.store.complete(&self.name, &taken.job, Some(taken.attempt), result).await {
                Ok(_) => {
                    (self.tell)(Event::Recorded(taken.job.clone(), taken.attempt));
                    return Ok(());
                }
                Err(StoreError::NotHeld { job, .. } | StoreError::AlreadyCompleted(job)) => {
                    (self.tell)(Event::TooLate(job));
                    return Ok(());
                }
                Err(error) if error.is_passing() => {
                    self.tell_that_store(Some(error));
                    sleep(patience).await;
                    patience = (patience * 2).min(LAST_PATIENCE);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reports when the store goes away and when it is back, once each.
    fn tell_that_store(&mut self, is_away: Option<StoreError>) {
        let was_away = std::mem::replace(&mut self.store_is_away, is_away.is_some());
        match is_away {
            Some(error) if !was_away => (self.tell)(Event::StoreIsAway(error.to_string())),
            None if was_away => (self.tell)(Event::StoreIsBack),
            _ => {}
        }
    }
}

/// Waits for the work at a job and keeps up the lease meanwhile.
///
/// A store that is away does not stop the work: its result may still be in time when the store is
/// back.
///
/// # Errors
///
/// [`StoreError::NotHeld`] if the lease was lost: the work is dropped.
pub(crate) async fn keep_while<S: Store, F: Future>(
    store: &S,
    worker: &str,
    taken: &Taken,
    lease: Duration,
    work: F,
) -> Outcome<F::Output> {
    let mut work = std::pin::pin!(work);
    loop {
        if let Ok(output) = timeout(lease / RENEWALS_PER_LEASE, work.as_mut()).await {
            return Ok(output);
        }
        match store.renew(worker, &taken.job, taken.attempt, lease).await {
            Err(error) if !error.is_passing() => return Err(error),
            _ => {}
        }
    }
}
