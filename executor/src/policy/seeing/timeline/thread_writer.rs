//! The pen of a thread: its end of the buffer, and what it has to remember between the beginning of something and its end.

use std::cell::{Cell, RefCell};
use std::panic::Location;

use wsrt_trace::{Begun, By, Counter, Event, NO_PROCESSOR, Outcome, Span, What, Writer};

use super::recorder::Recorder;
use crate::cell::{current_id, take_panic};

/// In the counter's unit: a poll that has lasted for this long when something happens in it is opened, so that what happens need
/// not wait for its end to be told. Between 0.2 and 20 ms, whatever the counter counts.
const LONG: u64 = 1 << 21;

thread_local! {
    static PEN: Pen = const { Pen::new() };
}

/// In the counter's unit: a poll that takes less is light. Some microseconds at most.
const LIGHT: u64 = 1 << 13;
/// After so many light polls one after the other the next is taken to be light too.
const MANY_LIGHT: u32 = 8;
/// So many wakes in a row are left untimed.
const MOST_UNTIMED: u32 = 3;

/// What the current thread remembers.
#[derive(Debug)]
pub(crate) struct Pen {
    writer: RefCell<Option<Writer>>,
    /// Whose events the writer takes.
    recorder: Cell<u64>,
    /// The poll that this thread is in, the innermost.
    poll: Cell<Poll>,
    /// The polls around it.
    outer: RefCell<Vec<Poll>>,
    /// Within how many polls and turns, written down later, the thread is.
    depth: Cell<u32>,
    /// When the last poll ended, if nothing has happened since; else 0.
    ended_at: Cell<u64>,
    /// The last look at the counter, or the beginning of the poll, whichever is later.
    looked_at: Cell<u64>,
    /// Light polls since the last other one.
    light: Cell<u32>,
    untimed: Cell<u32>,
    /// The task that has completed in the innermost poll.
    completed: Cell<u64>,
    /// The processor that this thread is known to hold.
    held: Cell<u16>,
    /// Who wakes what is woken now, where it is no task.
    waking: Cell<Option<By>>,
    turn: Cell<Option<Turn>>,
}

/// A poll that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll {
    stamp: u64,
    begun: Begun,
    opened: bool,
    is_over: bool,
}

/// A turn of the netpoller that has begun.
#[derive(Clone, Copy, Debug)]
struct Turn {
    begun: u64,
    events: u32,
    blocked: bool,
}

impl Poll {
    const NONE: Self = Self { stamp: 0, begun: Begun::new(0, NO_PROCESSOR, 0, None), opened: false, is_over: true };
}

impl Pen {
    const fn new() -> Self {
        Self {
            writer: RefCell::new(None),
            recorder: Cell::new(0),
            poll: Cell::new(Poll::NONE),
            outer: RefCell::new(Vec::new()),
            depth: Cell::new(0),
            ended_at: Cell::new(0),
            looked_at: Cell::new(0),
            light: Cell::new(0),
            untimed: Cell::new(0),
            completed: Cell::new(0),
            held: Cell::new(NO_PROCESSOR),
            waking: Cell::new(None),
            turn: Cell::new(None),
        }
    }

    /// Calls `f` with the current thread's pen. `None` on a thread that ends.
    #[inline]
    pub(crate) fn with<R>(f: impl FnOnce(&Self) -> R) -> Option<R> {
        PEN.try_with(f).ok()
    }

    /// Whether it writes for the recorder with this number.
    #[inline]
    pub(crate) fn is_for(&self, recorder: u64) -> bool {
        self.recorder.get() == recorder
    }

    /// Writes for `recorder` from now on. What was known of this thread may be long past.
    #[cold]
    pub(crate) fn write_for(&self, recorder: &Recorder) {
        *self.writer.borrow_mut() = Some(recorder.register_current_thread());
        self.recorder.set(recorder.number());
        self.held.set(NO_PROCESSOR);
        self.ended_at.set(0);
        self.turn.set(None);
        // One that nobody was to be told of.
        let _ = take_panic();
    }

    /// The processor that the thread is known to hold, or none.
    pub(crate) fn held(&self) -> u16 {
        self.held.get()
    }

    #[inline(always)]
    fn write(&self, event: Event) {
        if let Some(writer) = &mut *self.writer.borrow_mut() {
            writer.write(event);
        }
    }

    /// Writes an event down that happens now.
    pub(crate) fn note(&self, what: What, site: Option<&'static Location<'static>>) {
        let stamp = self.stamp();
        match what {
            What::Enter(Span::Holds(processor)) => self.held.set(processor),
            What::Leave(Span::Holds(_)) => self.held.set(NO_PROCESSOR),
            _ => {}
        }
        let event = Event::new(stamp, what).within(self.depth.get());
        self.write(event.at(site));
    }

    /// Now. A poll that goes on for long is opened first.
    #[inline]
    fn stamp(&self) -> u64 {
        let now = Counter::read();
        self.looked_at.set(now);
        self.untimed.set(0);
        if self.poll.get().is_over {
            self.ended_at.set(now);
        } else if now.wrapping_sub(self.poll.get().stamp) > LONG {
            self.open();
        }
        now
    }

    /// Whether a wake may do without a look at the counter: in a poll that is expected to be light, where it is not the fourth
    /// in a row. It is shown somewhere between the looks before and after it, which are close together then.
    #[inline]
    fn may_be_untimed(&self) -> bool {
        self.light.get() >= MANY_LIGHT && self.untimed.get() < MOST_UNTIMED && !self.poll.get().is_over
    }

    #[cold]
    fn open(&self) {
        let poll = self.poll.get();
        if poll.opened {
            return;
        }
        self.poll.set(Poll { opened: true, ..poll });
        if self.depth.get() == 1 {
            self.write(poll.begun.opened(poll.stamp));
        }
    }

    /// A poll begins, within another perhaps. To be followed by [`end_poll`](Self::end_poll).
    ///
    /// It begins when the one before it ended, where the machine has found its task at once: that spares a look at the counter.
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
        let stamp = if found_at_once && ended_at != 0 { ended_at } else { Counter::read() };
        self.looked_at.set(stamp);
        self.untimed.set(0);
        self.held.set(processor);
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        self.completed.set(0);
        if depth > 0 {
            self.outer.borrow_mut().push(self.poll.get());
        }
        let begun = Begun::new(task, processor, source, Some(site));
        self.poll.set(Poll { stamp, begun, opened: false, is_over: false });
    }

    /// The innermost poll ends, and the one around it goes on.
    #[inline]
    pub(crate) fn end_poll(&self) {
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        if self.poll.get().is_over {
            // The processor was handed over in its middle.
            self.ended_at.set(0);
        } else {
            let now = Counter::read();
            self.ended_at.set(now);
            self.note_weight(now.wrapping_sub(self.poll.get().stamp));
            let is_complete = self.completed.get() == self.poll.get().begun.task();
            self.write_poll(now, if is_complete { Outcome::Ready } else { Outcome::Pending }, depth);
        }
        let outer = if depth > 0 { self.outer.borrow_mut().pop() } else { None };
        match outer {
            Some(outer) => self.poll.set(outer),
            None => self.poll.set(Poll { is_over: true, ..self.poll.get() }),
        }
    }

    #[inline]
    fn note_weight(&self, lasted: u64) {
        self.light.set(if lasted < LIGHT { self.light.get().saturating_add(1) } else { 0 });
    }

    #[inline]
    fn write_poll(&self, now: u64, outcome: Outcome, depth: u32) {
        let Poll { stamp, begun, .. } = self.poll.get();
        self.write(begun.poll(stamp, now.saturating_sub(stamp), outcome).within(depth));
    }

    /// The processor goes to somebody else, and the poll goes on without.
    pub(crate) fn hand_over(&self) {
        let poll = self.poll.get();
        if !poll.is_over && self.depth.get() > 0 {
            self.write_poll(Counter::read(), Outcome::HandedOver, self.depth.get() - 1);
            self.poll.set(Poll { is_over: true, ..poll });
        }
    }

    /// A task is complete: the one that is polled here, or another that was cancelled.
    pub(crate) fn complete(&self, task: u64) {
        let poll = self.poll.get();
        if !poll.is_over && poll.begun.task() == task {
            return self.completed.set(task);
        }
        self.note(What::Ended { task, processor: self.held.get() }, None);
    }

    /// A task was spawned or woken.
    #[inline]
    pub(crate) fn ready(&self, task: u64, site: &'static Location<'static>, spawned: bool) {
        let by = match (self.waking.get(), current_id()) {
            (Some(by), _) => by,
            (None, Some(waker)) => By::Task(waker.as_u64()),
            (None, None) => By::Outside,
        };
        let readied = |stamp| Event::readied(stamp, task, self.held.get(), by, spawned);
        let event = if self.may_be_untimed() {
            self.untimed.set(self.untimed.get() + 1);
            readied(self.looked_at.get()).untimed()
        } else {
            readied(self.stamp())
        };
        self.write(event.within(self.depth.get()).at(spawned.then_some(site)));
    }

    /// A turn of the netpoller begins.
    pub(crate) fn begin_turn(&self, blocked: bool) {
        self.turn.set(Some(Turn { begun: Counter::read(), events: 0, blocked }));
    }

    pub(crate) fn end_turn(&self, events: usize) {
        self.turn.set(self.turn.get().map(|turn| Turn { events: events as u32, ..turn }));
    }

    /// What a turn has collected is woken now. Returns what [`end_waking`](Self::end_waking) wants.
    pub(crate) fn begin_waking(&self) -> bool {
        let in_turn = self.turn.get().is_some();
        self.depth.set(self.depth.get() + u32::from(in_turn));
        in_turn
    }

    /// Who wakes from now on.
    pub(crate) fn wake_for(&self, by: Option<By>) {
        self.waking.set(by);
    }

    /// All is woken: `timers` of it by timers. A turn that has found nothing, and did not block, is not worth a word.
    pub(crate) fn end_waking(&self, in_turn: bool, timers: usize) {
        self.waking.set(None);
        self.depth.set(self.depth.get() - u32::from(in_turn));
        let Some(Turn { begun, events, blocked }) = self.turn.take() else { return };
        let now = Counter::read();
        self.ended_at.set(now);
        if blocked || events > 0 || timers > 0 {
            let turn = What::Turn { events, timers: timers as u32, lasted: now.saturating_sub(begun) };
            self.write(Event::new(begun, turn).within(self.depth.get()));
        }
    }
}
