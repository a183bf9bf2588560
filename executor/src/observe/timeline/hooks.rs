//! The doors of the timeline: while the timeline is on, each records an event on the current
//! thread's track, or begins a range there.

use std::io;
use std::panic::Location;
use std::task::Waker;

use wsrt_reactor::Turn;
use wsrt_trace::{Activity, EventKind, TaskSource, WokenBy};

use super::hosts::{OnHost, is_simulated};
use super::thread_writer::ThreadWriter;
use crate::observe::observer::{Observer, Switch};
use crate::sysmon::stall::Stall;
use crate::task::{Id, Runnable, take_panic};
use crate::util::unwind::wake_quietly;

/// A guard that records the end of a poll when dropped, if the beginning was recorded.
#[derive(Debug)]
pub(crate) struct RecordedPoll<'a> {
    observer: &'a Observer,
    has_begun: bool,
    on_host: Option<OnHost>,
}

impl Drop for RecordedPoll<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.has_begun {
            // A poll that has begun ends, even if the timeline was turned off during it.
            ThreadWriter::with(ThreadWriter::end_poll);
        }
        self.on_host = None;
        if take_panic() {
            self.observer.write_flight_record_of_own_accord();
        }
    }
}

impl Observer {
    /// Calls `f` with the thread's writer if the timeline is on.
    ///
    /// Inlined always: a call costs each event some 20 instructions.
    #[inline(always)]
    pub(super) fn with_writer<R>(&self, f: impl FnOnce(&ThreadWriter) -> R) -> Option<R> {
        if !self.switches.is_on(Switch::Timeline) {
            return None;
        }
        let recorder = self.timeline.number();
        let is_ready = |writer: &ThreadWriter| writer.is_for(recorder) || self.prepare(writer);
        ThreadWriter::with(|writer| is_ready(writer).then(|| f(writer))).flatten()
    }

    /// Connects the thread's writer to the current recorder. Returns `false` if there is none.
    #[cold]
    fn prepare(&self, writer: &ThreadWriter) -> bool {
        let recorder = self.timeline.current();
        recorder.is_some_and(|recorder| {
            writer.write_for(&recorder);
            true
        })
    }

    /// Records a poll, which ends when the returned guard is dropped.
    #[inline]
    pub(crate) fn record_poll(&self, processor: usize, task: &Runnable, source: u32) -> RecordedPoll<'_> {
        let at_once = source == TaskSource::Runnext as u32 || source == TaskSource::Ring as u32;
        self.begin_poll(task, source, at_once, |_| processor as u16)
    }

    /// Records the poll of a `LocalSet` task, inside the poll of the task that polls the set.
    pub(crate) fn record_local_poll(&self, task: &Runnable) -> RecordedPoll<'_> {
        self.begin_poll(task, TaskSource::Local as u32, false, ThreadWriter::held)
    }

    #[inline]
    fn begin_poll(
        &self,
        task: &Runnable,
        source: u32,
        at_once: bool,
        processor: impl FnOnce(&ThreadWriter) -> u16,
    ) -> RecordedPoll<'_> {
        let mut on_host = None;
        let begun = self.with_writer(|writer| {
            // A task of a `LocalSet` is polled by another, on that one's host.
            if source != TaskSource::Local as u32 {
                on_host = self.go_to_host_of(writer, task.id().as_u64());
            }
            let processor = processor(writer);
            writer.begin_poll(task.id().as_u64(), task.spawned_at(), processor, source, at_once);
        });
        RecordedPoll { observer: self, has_begun: begun.is_some(), on_host }
    }
}

/// A guard for a range on the current thread's track, which ends when the guard is dropped.
#[must_use]
pub(crate) struct ObservedRange<'a> {
    observer: &'a Observer,
    activity: Activity,
}

impl Drop for ObservedRange<'_> {
    #[inline]
    fn drop(&mut self) {
        self.observer.record(EventKind::Leave(self.activity), None);
    }
}

/// The doors for events of processors and threads.
impl Observer {
    /// Records that the current thread takes the processor with index `processor`. Ignored in a
    /// simulation, whose machines share one thread: a single track has no room for the ranges of
    /// all machines.
    pub(crate) fn taken_up(&self, processor: usize) {
        if !is_simulated() {
            self.record(EventKind::Enter(Activity::Holds(processor as u16)), None);
        }
    }

    /// Records that the current thread gives up the processor with index `processor`.
    pub(crate) fn put_down(&self, processor: usize) {
        if !is_simulated() {
            self.record(EventKind::Leave(Activity::Holds(processor as u16)), None);
        }
    }

    /// Records that the thread's processor is about to be handed over, possibly in the middle of a
    /// poll.
    pub(crate) fn handed_over(&self) {
        if self.is_on() {
            self.with_writer(ThreadWriter::hand_over);
        }
    }

    /// Records that the task on this thread starts or stops blocking in place.
    pub(crate) fn blocks_in_place(&self, begins: bool) {
        let event = if begins { EventKind::Enter } else { EventKind::Leave };
        self.record(event(Activity::InPlace), None);
    }

    pub(crate) fn parked(&self) -> ObservedRange<'_> {
        self.range(Activity::Parked, None)
    }

    /// Records that the machine sleeps in the netpoller, until the guard is dropped.
    pub(crate) fn in_netpoller(&self) -> ObservedRange<'_> {
        self.range(Activity::Netpoller, None)
    }

    /// Records that the machine helps in parallel calls, until the guard is dropped.
    pub(crate) fn helping(&self) -> ObservedRange<'_> {
        self.range(Activity::Helps, None)
    }

    pub(crate) fn blocking_job(&self, spawned_at: &'static Location<'static>) -> ObservedRange<'_> {
        self.range(Activity::BlockingJob, Some(spawned_at))
    }

    pub(crate) fn overflow(&self, processor: usize, tasks: u64) {
        self.record(EventKind::Overflow { processor: processor as u16, tasks }, None);
    }

    /// Records that the processor `thief` has stolen `tasks` tasks from the processor `victim`.
    pub(crate) fn steal(&self, thief: usize, victim: usize, tasks: usize) {
        let stolen = EventKind::Stolen { processor: thief as u16, victim: victim as u64, tasks: tasks as u64 };
        self.record(stolen, None);
    }

    /// Records that the watcher has found a stalled poll.
    pub(crate) fn stall(&self, processor: usize, stall: &Stall) {
        let &Stall { task_id, spawned_at, duration, asleep, .. } = stall;
        let millis = duration.as_millis() as u64;
        let stall = EventKind::Stall { task: task_id, processor: processor as u16, millis, asleep };
        self.record(stall, Some(spawned_at));
        self.write_flight_record_of_own_accord();
    }

    /// Calls `turn`, which runs one netpoller turn, and records the turn, apart from waking the
    /// tasks that the turn has woken.
    #[inline]
    pub(crate) fn turn(&self, blocks: bool, turn: impl FnOnce() -> io::Result<Turn>) -> io::Result<Turn> {
        if self.is_on() {
            self.with_writer(|writer| writer.begin_turn(blocks));
        }
        let turned = turn();
        if self.is_on() {
            let events = if let Ok(Turn::Polled { events, .. }) = turned { events } else { 0 };
            self.with_writer(|writer| writer.end_turn(events));
        }
        turned
    }

    /// Wakes the collected wakers: the first `from_network` come from the netpoller, the rest from
    /// timers.
    #[inline]
    pub(crate) fn wake_all(&self, wakers: &mut Vec<Waker>, from_network: usize) {
        if self.is_on() {
            return self.record_wakes(wakers, from_network);
        }
        wakers.drain(..).for_each(wake_quietly);
    }
}

impl Observer {
    /// Records an event at the current time, with the spawn site of the task involved, if any.
    #[inline]
    fn record(&self, kind: EventKind, site: Option<&'static Location<'static>>) {
        if self.is_on() {
            self.record_event(kind, site);
        }
    }

    #[cold]
    fn record_event(&self, kind: EventKind, site: Option<&'static Location<'static>>) {
        self.with_writer(|writer| writer.record(kind, site));
    }

    #[inline]
    fn range(&self, activity: Activity, site: Option<&'static Location<'static>>) -> ObservedRange<'_> {
        self.record(EventKind::Enter(activity), site);
        ObservedRange { observer: self, activity }
    }

    #[cold]
    fn record_wakes(&self, wakers: &mut Vec<Waker>, from_network: usize) {
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

    /// Not inlined: it has a caller for each place where tasks are queued, and with one copy, what
    /// it calls is inlined in it.
    #[inline(never)]
    pub(crate) fn record_ready(&self, task: &Runnable, is_new: bool) {
        let spawned_at = is_new.then(|| task.spawned_at());
        self.with_writer(|writer| writer.ready(task.id().as_u64(), spawned_at));
        if let Some(name) = if is_new { task.name() } else { None } {
            self.name_task(task.id(), name);
        }
    }

    #[cold]
    fn name_task(&self, task: Id, name: &str) {
        let recorder = self.switches.is_on(Switch::Timeline).then(|| self.timeline.current()).flatten();
        recorder.into_iter().for_each(|recorder| recorder.name_task(task.as_u64(), name.into()));
    }

    #[inline]
    pub(crate) fn record_completed(&self, task: Id) {
        self.with_writer(|writer| {
            // One that is cancelled ends in the midst of another's poll, or of none.
            let _on_host = self.go_to_host_of(writer, task.as_u64());
            writer.complete(task.as_u64());
        });
    }
}
