//! A thread's writer: its end of the event buffer, and the state between the beginning and the end
//! of a poll or netpoller turn.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::ptr::NonNull;

use wsrt_sync::wait::{self, TaskWait};
use wsrt_trace::{
    Activity, Awaited, Event, EventKind, EventWriter, NO_PROCESSOR, PollOutcome, PollStart, StampCounter, WokenBy,
};

use super::hosts::{WriterHosts, is_simulated};
use super::recorder::Recorder;
use crate::task::{current_id, take_panic};

/// The age, in counter units, at which a poll with an event in it is recorded as open, so that the
/// event need not wait for the end of the poll. Between 0.2 and 20 ms, depending on the counter.
const LONG: u64 = 1 << 21;

thread_local! {
    static WRITER: ThreadWriter = const { ThreadWriter::new() };
}

/// The duration, in counter units, below which a poll is light. A few microseconds at most.
const LIGHT: u64 = 1 << 13;
/// The number of consecutive light polls after which the next poll is expected to be light too.
const MANY_LIGHT: u32 = 8;
/// The maximum number of consecutive wakes without a time stamp.
const MOST_UNTIMED: u32 = 3;

/// The timeline state of the current thread.
#[derive(Debug)]
pub(crate) struct ThreadWriter {
    events: RefCell<Option<EventWriter>>,
    /// The number of the recorder that reads this thread's events.
    recorder: Cell<u64>,
    /// The innermost poll that this thread is in.
    poll: Cell<OpenPoll>,
    /// The polls around the innermost poll.
    outer: RefCell<Vec<OpenPoll>>,
    /// The number of nested polls and turns that are recorded when they end.
    depth: Cell<u32>,
    /// The number of nested polls that were recorded early because their processor was handed over.
    handed_over: Cell<u32>,
    /// The end of the last poll if no event has happened since, and otherwise 0.
    pub(super) ended_at: Cell<u64>,
    /// The later of the last time stamp and the beginning of the poll.
    last_stamp: Cell<u64>,
    /// The number of light polls since the last poll that was not light.
    light: Cell<u32>,
    untimed: Cell<u32>,
    /// The task that has completed within the innermost poll.
    completed: Cell<u64>,
    /// The processor that this thread is known to hold.
    pub(super) held: Cell<u16>,
    /// The current source of wakes if that source is no task.
    waking: Cell<Option<WokenBy>>,
    turn: Cell<Option<OpenTurn>>,
    pub(super) hosts: WriterHosts,
}

/// A poll that has begun and not ended.
#[derive(Clone, Copy, Debug)]
struct OpenPoll {
    stamp: u64,
    start: PollStart,
    opened: bool,
    is_over: bool,
}

/// A netpoller turn that has begun and not ended.
#[derive(Clone, Copy, Debug)]
struct OpenTurn {
    begun: u64,
    events: u32,
    blocked: bool,
}

impl OpenPoll {
    const NONE: Self = Self { stamp: 0, start: PollStart::new(0, NO_PROCESSOR, 0, None), opened: false, is_over: true };
}

impl ThreadWriter {
    const fn new() -> Self {
        Self {
            events: RefCell::new(None),
            recorder: Cell::new(0),
            poll: Cell::new(OpenPoll::NONE),
            outer: RefCell::new(Vec::new()),
            depth: Cell::new(0),
            handed_over: Cell::new(0),
            ended_at: Cell::new(0),
            last_stamp: Cell::new(0),
            light: Cell::new(0),
            untimed: Cell::new(0),
            completed: Cell::new(0),
            held: Cell::new(NO_PROCESSOR),
            waking: Cell::new(None),
            turn: Cell::new(None),
            hosts: WriterHosts::new(),
        }
    }

    /// Calls `f` with the current thread's writer. Returns `None` on a thread that is exiting.
    #[inline(always)]
    pub(crate) fn with<R>(f: impl FnOnce(&Self) -> R) -> Option<R> {
        // Not inside `try_with`, which calls a large closure instead of inlining it.
        let writer = WRITER.try_with(|writer| NonNull::from(writer)).ok()?;
        // SAFETY: the writer was there just now, and this thread drops it only once it has left
        // this call.
        Some(f(unsafe { writer.as_ref() }))
    }

    /// Returns whether this writer writes for the recorder with number `recorder`.
    #[inline]
    pub(crate) fn is_for(&self, recorder: u64) -> bool {
        self.recorder.get() == recorder
    }

    /// Starts to write for `recorder`. The thread's state may be long out of date by then.
    #[cold]
    pub(crate) fn write_for(&self, recorder: &Recorder) {
        *self.events.borrow_mut() = Some(recorder.register_current_thread());
        self.recorder.set(recorder.number());
        self.held.set(NO_PROCESSOR);
        self.ended_at.set(0);
        self.turn.set(None);
        self.hosts.begin_anew();
        // A panic from before there was a recorder.
        let _ = take_panic();
    }

    /// Returns the processor that the thread is known to hold, or none.
    pub(crate) fn held(&self) -> u16 {
        self.held.get()
    }

    #[inline(always)]
    fn write(&self, event: Event) {
        if let Some(events) = &mut *self.events.borrow_mut() {
            self.hosts.write(events, event);
        }
    }

    /// Records an event at the current time.
    pub(crate) fn record(&self, kind: EventKind, site: Option<&'static Location<'static>>) {
        let stamp = self.stamp();
        match kind {
            EventKind::Enter(Activity::Holds(processor)) => self.held.set(processor),
            EventKind::Leave(Activity::Holds(_)) => self.held.set(NO_PROCESSOR),
            _ => {}
        }
        let event = Event::new(stamp, kind).within(self.depth.get());
        self.write(event.at(site));
    }

    /// Returns the current counter value, after recording a long poll as open.
    #[inline]
    fn stamp(&self) -> u64 {
        let now = StampCounter::read();
        self.last_stamp.set(now);
        self.untimed.set(0);
        if self.poll.get().is_over {
            self.ended_at.set(now);
        } else if now.wrapping_sub(self.poll.get().stamp) > LONG {
            self.open();
        }
        now
    }

    /// Returns whether a wake may be recorded without reading the counter: in a poll that is
    /// expected to be light, unless three wakes in a row went untimed. The wake is then shown
    /// between the stamps around it, which are close together. In a simulation every wake is timed,
    /// because a batch's stamps do not depend on the seed.
    #[inline]
    fn may_be_untimed(&self) -> bool {
        self.light.get() >= MANY_LIGHT
            && self.untimed.get() < MOST_UNTIMED
            && !self.poll.get().is_over
            && !is_simulated()
    }

    #[cold]
    fn open(&self) {
        let poll = self.poll.get();
        if poll.opened {
            return;
        }
        self.poll.set(OpenPoll { opened: true, ..poll });
        if self.depth.get() == 1 {
            self.write(poll.start.opened(poll.stamp));
        }
    }

    /// Begins a poll, possibly inside another poll. Must be followed by
    /// [`end_poll`](Self::end_poll).
    ///
    /// If the machine found the task immediately, the poll begins where the previous poll ended,
    /// which saves reading the counter.
    #[inline]
    pub(crate) fn begin_poll(
        &self,
        task: u64,
        site: &'static Location<'static>,
        processor: u16,
        source: u32,
        found_at_once: bool,
    ) {
        let ended_at = self.ended_at.get();
        let stamp = if found_at_once && ended_at != 0 { ended_at } else { StampCounter::read() };
        self.last_stamp.set(stamp);
        self.untimed.set(0);
        self.held.set(processor);
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        self.completed.set(0);
        if depth > 0 || self.handed_over.get() > 0 {
            self.set_aside();
        }
        let start = PollStart::new(task, processor, source, Some(site));
        self.poll.set(OpenPoll { stamp, start, opened: false, is_over: false });
    }

    /// Ends the innermost poll, after which the enclosing poll continues.
    #[inline]
    pub(crate) fn end_poll(&self) {
        if self.poll.get().is_over {
            // The processor was handed over in the middle of the poll.
            self.handed_over.set(self.handed_over.get() - 1);
            self.ended_at.set(0);
        } else {
            let depth = self.depth.get() - 1;
            self.depth.set(depth);
            let now = StampCounter::read();
            self.ended_at.set(now);
            self.note_weight(now.wrapping_sub(self.poll.get().stamp));
            let is_complete = self.completed.get() == self.poll.get().start.task();
            if !is_complete && !wait::noted().is_null() {
                self.write_wait(now, depth + 1);
            }
            self.write_poll(now, if is_complete { PollOutcome::Ready } else { PollOutcome::Pending }, depth);
        }
        if self.depth.get() > 0 || self.handed_over.get() > 0 {
            return self.go_on_with_outer();
        }
        self.poll.set(OpenPoll { is_over: true, ..self.poll.get() });
    }

    /// Keeps the poll around a poll that begins now.
    #[cold]
    fn set_aside(&self) {
        self.outer.borrow_mut().push(self.poll.get());
    }

    /// Continues with the poll around the poll that has ended.
    #[cold]
    fn go_on_with_outer(&self) {
        let outer = self.outer.borrow_mut().pop();
        self.poll.set(outer.unwrap_or(OpenPoll { is_over: true, ..self.poll.get() }));
    }

    #[inline]
    fn note_weight(&self, lasted: u64) {
        self.light.set(if lasted < LIGHT { self.light.get().saturating_add(1) } else { 0 });
    }

    /// Records the lock or channel that a task waits for, after a poll that returned pending.
    #[inline(never)]
    fn write_wait(&self, now: u64, depth: u32) {
        // SAFETY: `noted` returns what `pack` has made, or null.
        let Some(TaskWait { kind, place }) = (unsafe { TaskWait::unpack(wait::noted()) }) else { return };
        let task = self.poll.get().start.task();
        let awaited = Awaited::ALL[kind as usize - 1];
        let waits = EventKind::Waits { task, processor: self.held.get(), awaited };
        self.write(Event::new(now, waits).within(depth).at(Some(place)));
    }

    #[inline]
    fn write_poll(&self, now: u64, outcome: PollOutcome, depth: u32) {
        let OpenPoll { stamp, start, .. } = self.poll.get();
        self.write(start.poll(stamp, now.saturating_sub(stamp), outcome).within(depth));
    }

    /// Records that the processor is handed over. The poll continues without a processor, and no
    /// event waits for its end.
    pub(crate) fn hand_over(&self) {
        let (poll, depth) = (self.poll.get(), self.depth.get());
        if !poll.is_over && depth > 0 {
            self.depth.set(depth - 1);
            self.handed_over.set(self.handed_over.get() + 1);
            self.write_poll(StampCounter::read(), PollOutcome::HandedOver, depth - 1);
            self.poll.set(OpenPoll { is_over: true, ..poll });
        }
    }

    /// Records that a task has completed: the task being polled, or a cancelled task.
    pub(crate) fn complete(&self, task: u64) {
        let poll = self.poll.get();
        if !poll.is_over && poll.start.task() == task {
            return self.completed.set(task);
        }
        self.record(EventKind::Ended { task, processor: self.held.get() }, None);
    }

    /// Records that a task was woken or, if there is a place where it was spawned, spawned.
    #[inline]
    pub(crate) fn ready(&self, task: u64, spawned_at: Option<&'static Location<'static>>) {
        let by = match (self.waking.get(), current_id()) {
            (Some(by), _) => by,
            (None, Some(waker)) => WokenBy::Task(waker.as_u64()),
            (None, None) => WokenBy::Outside,
        };
        let is_untimed = self.may_be_untimed();
        let stamp = if is_untimed {
            self.untimed.set(self.untimed.get() + 1);
            self.last_stamp.get()
        } else {
            self.stamp()
        };
        let event = Event::readied(stamp, task, self.held.get(), by, spawned_at.is_some());
        let event = if is_untimed { event.untimed() } else { event };
        self.write(event.within(self.depth.get()).at(spawned_at));
    }

    /// Begins a netpoller turn.
    pub(crate) fn begin_turn(&self, blocked: bool) {
        self.turn.set(Some(OpenTurn { begun: StampCounter::read(), events: 0, blocked }));
    }

    /// Ends a netpoller turn, apart from waking the tasks that the turn has found.
    pub(crate) fn end_turn(&self, events: usize) {
        self.turn.set(self.turn.get().map(|turn| OpenTurn { events: events as u32, ..turn }));
    }

    /// Begins to wake the tasks of a turn. Pass the return value to
    /// [`end_waking`](Self::end_waking).
    pub(crate) fn begin_waking(&self) -> bool {
        let in_turn = self.turn.get().is_some();
        self.depth.set(self.depth.get() + u32::from(in_turn));
        in_turn
    }

    /// Sets the source of the wakes that follow.
    pub(crate) fn wake_for(&self, by: Option<WokenBy>) {
        self.waking.set(by);
    }

    /// Records a turn whose tasks have all been woken, `timers` of them by timers. A turn that
    /// found nothing and did not block is not recorded.
    pub(crate) fn end_waking(&self, in_turn: bool, timers: usize) {
        self.waking.set(None);
        self.depth.set(self.depth.get() - u32::from(in_turn));
        let Some(OpenTurn { begun, events, blocked }) = self.turn.take() else { return };
        let now = StampCounter::read();
        self.ended_at.set(now);
        if blocked || events > 0 || timers > 0 {
            let turn = EventKind::Turn { events, timers: timers as u32, lasted: now.saturating_sub(begun) };
            self.write(Event::new(begun, turn).within(self.depth.get()));
        }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::Awaited;
    use wsrt_sync::wait::WaitKind;

    #[test]
    fn each_kind_of_wait_has_its_own_name() {
        assert_eq!(WaitKind::ALL.map(|kind| Awaited::ALL[kind as usize - 1].name()), WaitKind::ALL.map(WaitKind::name));
    }
}
