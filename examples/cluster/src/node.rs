//! The node: one command in, one reply out, whatever the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fastrand::Rng;
use parking_lot::Mutex;
use serde_json::Value;

use crate::protocol::{
    Command, Frame, LONGEST_MESSAGE, Named, Refusal, RefusalKind, Reply, Request, RequestSender, WorkerReply,
    write_reply,
};
use crate::simulation;
use crate::store::{Place, Stolen, Store, StoreError, WorkerState, short_name};

/// The seed unless another is given. With it the first victim chosen among w1 and w2 is w1, as in
/// the document.
pub const DEFAULT_SEED: u64 = 7;
/// How long a job that was taken by `take_job` is its taker's, unless the message or the command
/// line says otherwise.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(30);

/// The longest payload, and the longest result, as JSON: the store keeps as many of them as its
/// [`Limits`](crate::store::Limits) say.
const LONGEST_VALUE: usize = 16 << 10;

/// Answers messages. Many connections share one.
#[derive(Debug)]
pub struct Node<S> {
    store: Arc<S>,
    seed: u64,
    lease: Duration,
    /// Chooses the victims. One generator for all connections: with one connection, the choices
    /// repeat.
    random: Mutex<Rng>,
    is_simulating: AtomicBool,
}

/// A reply and its receiver.
#[derive(Debug)]
pub struct Answer {
    sender: RequestSender,
    reply: Reply,
}

impl Answer {
    /// Appends it to `output`, as a line.
    pub fn write(&self, output: &mut Vec<u8>) {
        write_reply(&self.sender, &self.reply, output);
    }

    /// The reply.
    #[must_use]
    pub fn reply(&self) -> &Reply {
        &self.reply
    }
}

impl<S: Store> Node<S> {
    /// Makes a node that keeps its jobs in `store`.
    pub fn new(store: Arc<S>, seed: u64, lease: Duration) -> Self {
        let random = Mutex::new(Rng::with_seed(seed));
        Self { store, seed, lease, random, is_simulating: AtomicBool::new(false) }
    }

    /// Answers one message.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped, the command may have been carried out without a reply.
    pub async fn answer(&self, frame: Frame<'_>) -> Answer {
        let Request { sender, command } = match frame {
            Frame::Message(text) => Request::parse(text),
            Frame::TooLong => Request::refused(too_long()),
        };
        let reply = match command {
            Ok(command) => self.carry_out(command).await.unwrap_or_else(Reply::from),
            Err(refusal) => refusal.into(),
        };
        Answer { sender, reply }
    }

    async fn carry_out(&self, command: Command) -> Result<Reply, Refusal> {
        match command {
            Command::Init { workers, jobs } => {
                self.store.init(&workers, jobs).await?;
                Ok(Reply::InitOk {})
            }
            Command::StealJob { thief, busy } => self.steal(thief, busy).await,
            Command::CheckClusterState => Ok(cluster_state(self.store.workers().await?)),
            Command::RunSimulation { work, stealing } => self.simulate(work, stealing).await,
            Command::SubmitJob { worker, job, payload } => {
                let payload = text_of("payload", &payload)?;
                let submitted = self.store.submit(&worker, job.as_deref(), &payload).await?;
                Ok(Reply::JobSubmitted { worker, job_id: submitted.job, queue_size: submitted.queued })
            }
            Command::TakeJob { worker, lease } => self.take(worker, lease.unwrap_or(self.lease)).await,
            Command::CompleteJob { worker, job, attempt, result } => {
                self.store.complete(&worker, &job, attempt, &text_of("result", &result)?).await?;
                Ok(Reply::JobCompleted { worker, job_id: job })
            }
            Command::FindJob { job } => {
                let place = self.store.find(&job).await?;
                Ok(found(job, place))
            }
        }
    }

    async fn steal(&self, thief: String, mut busy: Vec<String>) -> Result<Reply, Refusal> {
        self.random.lock().shuffle(&mut busy);
        let outcome = match self.store.steal(&thief, &busy).await {
            // Without an `init`, every name is that of a worker.
            Err(StoreError::UnknownWorker(worker)) => {
                if !self.store.assume_starting_state(&thief, &busy).await? {
                    return Err(StoreError::UnknownWorker(worker).into());
                }
                self.store.steal(&thief, &busy).await?
            }
            outcome => outcome?,
        };
        match outcome {
            Some(Stolen { victim, job, left }) => {
                Ok(Reply::JobStolen { thief, victim, job_id: short_name(&job).to_owned(), victim_queue_size: left })
            }
            None => Err(Refusal::new(RefusalKind::NothingToSteal, nothing_to_steal(&busy))),
        }
    }

    async fn take(&self, worker: String, lease: Duration) -> Result<Reply, Refusal> {
        let Some(taken) = self.store.take(&worker, lease).await? else {
            return Err(Refusal::new(RefusalKind::QueueEmpty, format!("{worker} has no job queued")));
        };
        Ok(Reply::JobTaken {
            worker,
            job_id: short_name(&taken.job).to_owned(),
            attempt: taken.attempt,
            lease_ms: lease.as_millis() as u64,
            payload: value(&taken.payload),
        })
    }

    async fn simulate(&self, work: Duration, stealing: bool) -> Result<Reply, Refusal> {
        if self.is_simulating.swap(true, Ordering::Relaxed) {
            return Err(Refusal::new(RefusalKind::Busy, "a simulation is running"));
        }
        let _flag = Lowered(&self.is_simulating);
        let workers = self.store.workers().await?;
        if let Some(worker) = workers.iter().find(|worker| worker.has_joined) {
            let why =
                format!("{} is a program at work: a simulation would do its jobs and record nothing real", worker.name);
            return Err(Refusal::new(RefusalKind::Busy, why));
        }
        let plan = simulation::Plan { work, stealing, seed: self.seed };
        Ok(Reply::SimulationOk(simulation::run(&self.store, plan).await?))
    }
}

/// Lowers the flag when the simulation ends, or is dropped.
struct Lowered<'a>(&'a AtomicBool);

impl Drop for Lowered<'_> {
    fn drop(&mut self) {
        // Relaxed, as the swap above: the flag keeps simulations apart and publishes nothing.
        self.0.store(false, Ordering::Relaxed);
    }
}

fn cluster_state(workers: Vec<WorkerState>) -> Reply {
    let is_idle = |worker: &WorkerState| worker.queued == 0 && worker.in_flight == 0;
    let all_idle = workers.iter().all(is_idle);
    let line = |worker: WorkerState| {
        let state = if is_idle(&worker) { "idle" } else { "busy" };
        (worker.name, WorkerReply { queue_size: worker.queued, state })
    };
    Reply::ClusterStateOk { workers: Named(workers.into_iter().map(line).collect()), all_idle }
}

fn found(job_id: String, place: Place) -> Reply {
    let (place, worker, result) = match place {
        Place::Queued(worker) => ("queued", worker, None),
        Place::InFlight(worker) => ("in_flight", worker, None),
        Place::Done(worker, result) => ("done", worker, Some(value(&result))),
    };
    Reply::JobFound { job_id, place, worker, result }
}

/// The value as the store keeps it.
fn text_of(field: &str, value: &Value) -> Result<String, Refusal> {
    let text = value.to_string();
    if text.len() > LONGEST_VALUE {
        return Err(Refusal::invalid(field, format_args!("has {} bytes of JSON; {LONGEST_VALUE} at most", text.len())));
    }
    Ok(text)
}

/// Reads a value that the store keeps as text.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn nothing_to_steal(busy: &[String]) -> String {
    const ENOUGH: usize = 5;
    let mut named = busy[..busy.len().min(ENOUGH)].to_vec();
    named.sort_unstable();
    match busy.len() {
        0 => "busy_workers is empty".to_owned(),
        1 => format!("{} has no job queued", busy[0]),
        count if count <= ENOUGH => format!("none of {} has a job queued", named.join(", ")),
        count => format!("none of {} and {} others has a job queued", named.join(", "), count - ENOUGH),
    }
}

fn too_long() -> Refusal {
    Refusal::new(
        RefusalKind::MessageTooLong,
        format!("a message may have {LONGEST_MESSAGE} bytes; this one is skipped"),
    )
}
