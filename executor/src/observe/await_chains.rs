//! The await chains of a runtime's waiting tasks, for dumps that ask for them: each task is polled
//! once more, on a worker, and the stacks are read on the thread that asks.

use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use wsrt_stack::{Backtrace, IS_SUPPORTED, Sample};

use crate::scheduler::Scheduler;
use crate::task::{Id, WaitingTask};

/// The tasks that one task of the runtime polls in one poll of its own: these take as long as a few
/// hundred microseconds, where each takes its usual time.
const AT_A_TIME: usize = 16;

/// Returns the chains of each task that waits.
///
/// The polls are made on workers: a hook may have prepared the workers' threads for the tasks, and
/// a current-thread runtime has promised its only one. Ends when no worker has answered for as long
/// as `limit`. A simulated runtime is left alone, since a poll more is another run.
pub(crate) fn await_chains(scheduler: &Arc<Scheduler>, limit: Duration) -> BTreeMap<Id, Vec<Backtrace>> {
    let mut chains = BTreeMap::new();
    if !IS_SUPPORTED || scheduler.simulation.is_some() {
        return chains;
    }
    let mut waiting = scheduler.tasks.waiting();
    while !waiting.is_empty() {
        let some = waiting.split_off(waiting.len().saturating_sub(AT_A_TIME));
        let (sender, polled) = channel();
        // The dump may have given up by then.
        let poll = async move { _ = sender.send(some.into_iter().map(WaitingTask::poll).collect::<Vec<_>>()) };
        drop(scheduler.spawn(poll, Location::caller()));
        let Ok(polled) = polled.recv_timeout(limit) else { break };
        for (task, samples) in polled {
            let mut own: Vec<Backtrace> = Vec::new();
            for backtrace in samples.iter().map(Sample::backtrace) {
                if backtrace.has_program() && own.iter().all(|other| other.frames() != backtrace.frames()) {
                    own.push(backtrace);
                }
            }
            chains.insert(task, own);
        }
    }
    chains
}
