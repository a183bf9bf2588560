//! What the loop calls when the timeline is on: each call is one event, or the beginning of one.

use std::panic::Location;
use std::task::Waker;

use wsrt_trace::{By, Span, What};

use super::thread_writer::Pen;
use crate::base::unwind::wake_quietly;
use crate::cell::{Id, Runnable, take_panic};
use crate::players::{Found, Source};
use crate::policy::seeing::{Seeing, Switch};
use crate::policy::stall::Stall;

/// A poll that the timeline shows: its end is to be shown too.
#[derive(Debug)]
pub(crate) struct ShownPoll;

impl Seeing {
    /// Calls `f` with the thread's pen, if the timeline is on.
    #[inline]
    fn with_pen<R>(&self, f: impl FnOnce(&Pen) -> R) -> Option<R> {
        if !self.switches.is_on(Switch::Timeline) {
            return None;
        }
        let recorder = self.timeline.number();
        let is_ready = |pen: &Pen| pen.is_for(recorder) || self.prepare(pen);
        Pen::with(|pen| is_ready(pen).then(|| f(pen))).flatten()
    }

    /// Makes the pen write for the recorder that is there now, if one is.
    #[cold]
    fn prepare(&self, pen: &Pen) -> bool {
        let recorder = self.timeline.current();
        recorder.is_some_and(|recorder| {
            pen.write_for(&recorder);
            true
        })
    }

    /// Shows the beginning of a poll. To be followed by [`end_poll`](Self::end_poll).
    #[inline]
    pub(in crate::policy::seeing) fn begin_poll(&self, processor: usize, found: &Found) -> Option<ShownPoll> {
        let Found { task, source } = found;
        let at_once = *source == Source::RUNNEXT || *source == Source::RING;
        self.with_pen(|pen| {
            pen.begin_poll(task.id().as_u64(), task.spawned_at(), processor as u16, source.number(), at_once);
            ShownPoll
        })
    }

    #[inline]
    pub(in crate::policy::seeing) fn end_poll(&self, shown: Option<ShownPoll>) {
        if let Some(ShownPoll) = shown {
            // A poll that has begun ends, whether anybody still looks or not.
            Pen::with(Pen::end_poll);
        }
        if take_panic() {
            self.write_flight_record_of_own_accord();
        }
    }
}

/// What the rest of the scheduler calls, wherever something happens that is worth an event.
impl Seeing {
    /// Shows what happens now.
    #[inline]
    pub(crate) fn show(&self, what: What) {
        if self.is_on() {
            self.note(what, None);
        }
    }

    /// Shows what happens now, to a task that was spawned there.
    #[inline]
    pub(crate) fn show_at(&self, what: What, site: &'static Location<'static>) {
        if self.is_on() {
            self.note(what, Some(site));
        }
    }

    #[cold]
    fn note(&self, what: What, site: Option<&'static Location<'static>>) {
        self.with_pen(|pen| pen.note(what, site));
    }

    /// The watcher has found a poll that holds its processor for long.
    pub(crate) fn show_stall(&self, processor: usize, stall: &Stall) {
        let &Stall { task_id, spawned_at, duration, asleep, .. } = stall;
        let millis = duration.as_millis() as u64;
        let stall = What::Stall { task: task_id, processor: processor as u16, millis, asleep };
        self.show_at(stall, spawned_at);
        self.write_flight_record_of_own_accord();
    }

    /// The thread's processor goes to somebody else, in the middle of a poll perhaps.
    pub(crate) fn show_handed_over(&self, processor: usize) {
        if self.is_on() {
            self.with_pen(|pen| pen.hand_over());
            self.show(What::Leave(Span::Holds(processor as u16)));
        }
    }

    /// A turn of the netpoller begins.
    #[inline]
    pub(crate) fn show_turn_begin(&self, blocks: bool) {
        if self.is_on() {
            self.with_pen(|pen| pen.begin_turn(blocks));
        }
    }

    /// The turn is over, but for the waking of what it has found.
    #[inline]
    pub(crate) fn show_turn_end(&self, events: usize) {
        if self.is_on() {
            self.with_pen(|pen| pen.end_turn(events));
        }
    }

    /// Wakes what was collected, `from_network` of it by the netpoller and the rest by timers.
    #[cold]
    pub(crate) fn wake_in_sight(&self, wakers: &mut Vec<Waker>, from_network: usize) {
        let timers = wakers.len().saturating_sub(from_network);
        let in_turn = self.with_pen(|pen| {
            pen.wake_for(Some(By::Network));
            pen.begin_waking()
        });
        for (at, waker) in wakers.drain(..).enumerate() {
            if at == from_network && in_turn.is_some() {
                Pen::with(|pen| pen.wake_for(Some(By::Timer)));
            }
            wake_quietly(waker);
        }
        if let Some(in_turn) = in_turn {
            Pen::with(|pen| pen.end_waking(in_turn, timers));
        }
    }

    pub(in crate::policy::seeing) fn note_spawned(&self, task: &Runnable) {
        self.with_pen(|pen| pen.ready(task.id().as_u64(), task.spawned_at(), true));
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
    pub(in crate::policy::seeing) fn note_readied(&self, task: &Runnable) {
        self.with_pen(|pen| pen.ready(task.id().as_u64(), task.spawned_at(), false));
    }

    #[inline]
    pub(in crate::policy::seeing) fn note_ended(&self, task: Id) {
        self.with_pen(|pen| pen.complete(task.as_u64()));
    }

    /// Polls a task of a `LocalSet`, within the poll of whoever has the set.
    pub(crate) fn poll_local_in_sight(&self, task: Runnable) {
        let shown = self.with_pen(|pen| {
            let (id, site) = (task.id().as_u64(), task.spawned_at());
            pen.begin_poll(id, site, pen.held(), Source::LOCAL.number(), false);
            ShownPoll
        });
        task.run_on_books();
        self.end_poll(shown);
    }
}
