//! Stalls: polls over the threshold, and what their threads are doing.

use std::sync::Arc;
use std::time::Duration;

use wsrt_stack::StackSampling;

use super::Watcher;
use crate::scheduler::Scheduler;
use crate::scheduler::core::poll_watch::PollState;
use crate::sysmon::reporter;
use crate::sysmon::stall::{NotedStall, Stall};
use crate::util::sync::unmodelled::AtomicU64;
use crate::util::sync::unmodelled::Ordering::Relaxed;

/// A stall that the watcher does not let out of its sight.
#[derive(Debug)]
pub(super) struct Followed {
    processor: usize,
    /// The stamp of the poll.
    poll: Option<u64>,
    /// When it began.
    since: u64,
    /// How long it has lasted, for the reporter.
    lasted: Arc<AtomicU64>,
    /// Until it is reported.
    unreported: Option<(Stall, StackSampling)>,
}

impl Watcher<'_> {
    /// Notices a stall, once for each poll: counts it, and begins to capture the stack.
    pub(super) fn report_if_stalled(&mut self, index: usize, now: u64) {
        let Some(threshold) = self.scheduler.config.stall_threshold else { return };
        let watched = self.watched[index];
        if watched.reported {
            return;
        }
        let processor = self.scheduler.processors.get(index);
        let state = processor.watch().state();
        // A parallel call gives way by itself, to helpers, and to tasks on other processors, unless
        // a piece of it sleeps.
        if state.blocking || (state.computing && !self.looks_asleep(index, state.thread, now)) {
            // Noted on each tick: after a long call its poll may be over before anything else shows
            // it.
            self.watched[index].silent_since = now;
            return;
        }
        let duration = Duration::from_nanos(now - watched.silent_since);
        if duration < threshold {
            return;
        }
        // One that computes was found asleep above.
        let asleep = state.computing || self.looks_asleep(index, state.thread, now);
        if !asleep && !self.watched[index].burnt.had_core(state.thread, now, threshold) {
            return;
        }
        let Some(spawned_at) = state.spawned_at else { return };
        // After the state, which may be of a later poll: that has been counted then. A searcher
        // has the last task in state still.
        if self.scheduler.poll_stamp(index) != watched.poll || state.searching {
            return;
        }
        self.watched[index].reported = true;
        let task_name = self.scheduler.names.of(state.task);
        let (backtrace, calls_on) = (None, false);
        let stall = Stall { task_id: state.task, task_name, spawned_at, duration, asleep, backtrace, calls_on };
        self.scheduler.observer.stall(index, &stall);
        self.scheduler.stalls.count(&stall);
        self.followed.push(Followed {
            processor: index,
            poll: watched.poll,
            since: watched.silent_since,
            lasted: Arc::new(AtomicU64::new(now - watched.silent_since)),
            unreported: Some((stall, StackSampling::begin(state.thread, now))),
        });
    }

    /// Reports the stalls whose stacks have been captured, or cannot be, and notes how long each
    /// poll has lasted.
    pub(super) fn follow_stalls(&mut self, now: u64) {
        let mut followed = std::mem::take(&mut self.followed);
        followed.retain_mut(|stall| {
            let lasts =
                || poll_under_way(self.scheduler, stall.processor).is_some_and(|(_, poll)| Some(poll) == stall.poll);
            let is_followed = lasts();
            if is_followed {
                stall.lasted.store(now - stall.since, Relaxed);
            }
            let is_done = stall.unreported.as_mut().is_some_and(|(stall, sampling)| {
                sampling.look(now, || lasts() && !self.scheduler.stalls.has_panicked(stall.task_id))
            });
            if is_done {
                self.report(stall);
            }
            is_followed
        });
        self.followed = followed;
    }

    /// Reports the others as well: the runtime ends.
    pub(super) fn report_all(&mut self) {
        for stall in &mut std::mem::take(&mut self.followed) {
            self.report(stall);
        }
    }

    fn report(&self, stall: &mut Followed) {
        if let Some((stalled, sampling)) = stall.unreported.take() {
            let lasted = Arc::clone(&stall.lasted);
            reporter::report_stall(self.scheduler, NotedStall { stall: stalled, samples: sampling.finish(), lasted });
        }
    }
}

/// Returns the poll that the holder of a processor is in, if any: its state and its stamp.
pub(crate) fn poll_under_way(scheduler: &Scheduler, index: usize) -> Option<(PollState, u64)> {
    let state = scheduler.processors.get(index).watch().state();
    // After the state, which may be of a later poll: that poll has been counted then. A searcher
    // has the last task in state still.
    Some((state, scheduler.poll_stamp(index)?)).filter(|_| !state.searching)
}
