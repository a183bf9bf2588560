//! The calls of the scheduler when the timeline is on: each records an event, or begins one.

use std::panic::Location;
use std::task::Waker;

use wsrt_trace::{EventKind, WokenBy};

use super::thread_writer::ThreadWriter;
use crate::observe::observer::Observer;
use crate::observe::switches::Switch;
use crate::scheduler::found::{Found, FoundIn};
use crate::sysmon::stall::Stall;
use crate::task::{Id, Runnable, take_panic};
use crate::util::unwind::wake_quietly;

/// Records the end of a poll when it is dropped, if its beginning was recorded.
#[derive(Debug)]
pub(crate) struct RecordedPoll<'a> {
    observer: &'a Observer,
    has_begun: bool,
}

impl Drop for RecordedPoll<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.has_begun {
            // A poll that has begun ends, even if the timeline was turned off meanwhile.
            ThreadWriter::with(ThreadWriter::end_poll);
        }
        if take_panic() {
            self.observer.write_flight_record_of_own_accord();
        }
    }
}

impl Observer {
    /// Calls `f` with the thread's writer, if the timeline is on.
    #[inline]
    fn with_writer<R>(&self, f: impl FnOnce(&ThreadWriter) -> R) -> Option<R> {
        if !self.switches.is_on(Switch::Timeline) {
            return None;
        }
        let recorder = self.timeline.number();
        let is_ready = |writer: &ThreadWriter| writer.is_for(recorder) || self.prepare(writer);
        ThreadWriter::with(|writer| is_ready(writer).then(|| f(writer))).flatten()
    }

    /// Makes the thread write for the current recorder, if there is one.
    #[cold]
    fn prepare(&self, writer: &ThreadWriter) -> bool {
        let recorder = self.timeline.current();
        recorder.is_some_and(|recorder| {
            writer.write_for(&recorder);
            true
        })
    }

    /// Records a poll, which ends when the guard is dropped.
    #[inline]
    pub(crate) fn record_poll(&self, processor: usize, found: &Found) -> RecordedPoll<'_> {
        let at_once = found.source == FoundIn::RUNNEXT || found.source == FoundIn::RING;
        self.begin_poll(&found.task, found.source, at_once, |_| processor as u16)
    }

    /// Records the poll of a task of a `LocalSet`, within that of the task that polls the set.
    pub(crate) fn record_local_poll(&self, task: &Runnable) -> RecordedPoll<'_> {
        self.begin_poll(task, FoundIn::LOCAL, false, ThreadWriter::held)
    }

    #[inline]
    fn begin_poll(
        &self,
        task: &Runnable,
        source: FoundIn,
        at_once: bool,
        processor: impl FnOnce(&ThreadWriter) -> u16,
    ) -> RecordedPoll<'_> {
        let begun = self.with_writer(|writer| {
            let processor = processor(writer);
            writer.begin_poll(task.id().as_u64(), task.spawned_at(), processor, source.number(), at_once);
        });
        RecordedPoll { observer: self, has_begun: begun.is_some() }
    }
}

/// The calls of the rest of the scheduler.
impl Observer {
    /// Records an event that happens now.
    #[inline]
    pub(crate) fn show(&self, kind: EventKind) {
        if self.is_on() {
            self.record_event(kind, None);
        }
    }

    /// Records an event that happens now to a task spawned at `site`.
    #[inline]
    pub(crate) fn show_at(&self, kind: EventKind, site: &'static Location<'static>) {
        if self.is_on() {
            self.record_event(kind, Some(site));
        }
    }

    #[cold]
    fn record_event(&self, kind: EventKind, site: Option<&'static Location<'static>>) {
        self.with_writer(|writer| writer.record(kind, site));
    }

    /// Records that the watcher has found a poll that takes long.
    pub(crate) fn show_stall(&self, processor: usize, stall: &Stall) {
        let &Stall { task_id, spawned_at, duration, asleep, .. } = stall;
        let millis = duration.as_millis() as u64;
        let stall = EventKind::Stall { task: task_id, processor: processor as u16, millis, asleep };
        self.show_at(stall, spawned_at);
        self.write_flight_record_of_own_accord();
    }

    /// Records that the thread's processor is about to be handed over, perhaps in the middle of a poll.
    pub(crate) fn show_handed_over(&self) {
        if self.is_on() {
            self.with_writer(|writer| writer.hand_over());
        }
    }

    /// Records the beginning of a turn of the netpoller.
    #[inline]
    pub(crate) fn show_turn_begin(&self, blocks: bool) {
        if self.is_on() {
            self.with_writer(|writer| writer.begin_turn(blocks));
        }
    }

    /// Records the end of the turn, but for waking the tasks that it has readied.
    #[inline]
    pub(crate) fn show_turn_end(&self, events: usize) {
        if self.is_on() {
            self.with_writer(|writer| writer.end_turn(events));
        }
    }

    /// Wakes the collected tasks, `from_network` of them by the netpoller and the rest by timers.
    #[cold]
    pub(crate) fn wake_observed(&self, wakers: &mut Vec<Waker>, from_network: usize) {
        let timers = wakers.len().saturating_sub(from_network);
        let in_turn = self.with_writer(|writer| {
            writer.wake_for(Some(WokenBy::Network));
            writer.begin_waking()
        });
        for (at, waker) in wakers.drain(..).enumerate() {
            if at == from_network && in_turn.is_some() {
                ThreadWriter::with(|writer| writer.wake_for(Some(WokenBy::Timer)));
            }
            wake_quietly(waker);
        }
        if let Some(in_turn) = in_turn {
            ThreadWriter::with(|writer| writer.end_waking(in_turn, timers));
        }
    }

    pub(crate) fn record_spawned(&self, task: &Runnable) {
        self.with_writer(|writer| writer.ready(task.id().as_u64(), task.spawned_at(), true));
        if let Some(name) = task.name() {
            self.name_task(task.id(), name);
        }
    }

    #[cold]
    fn name_task(&self, task: Id, name: &str) {
        if self.switches.is_on(Switch::Timeline) {
            if let Some(recorder) = self.timeline.current() {
                recorder.name_task(task.as_u64(), name.into());
            }
        }
    }

    #[inline]
    pub(crate) fn record_woken(&self, task: &Runnable) {
        self.with_writer(|writer| writer.ready(task.id().as_u64(), task.spawned_at(), false));
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn record_completed(&self, task: Id) {
        self.with_writer(|writer| writer.complete(task.as_u64()));
    }
}
