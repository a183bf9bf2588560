//! Events: 32 bytes each, of every kind. The table of their bits is in docs/TIMELINE.md.

use std::panic::Location;

use crate::names::{Awaited, PollOutcome, WakeCause};

/// The cause of a wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WokenBy {
    /// The task with this number; it may have woken itself.
    Task(u64),
    /// A turn of the netpoller.
    Network,
    /// A timer.
    Timer,
    /// A thread that polls no task.
    Outside,
}

impl WokenBy {
    /// Returns its kind, which has a name in a trace.
    pub fn cause(self) -> WakeCause {
        match self {
            WokenBy::Task(_) => WakeCause::Task,
            WokenBy::Network => WakeCause::Network,
            WokenBy::Timer => WakeCause::Timer,
            WokenBy::Outside => WakeCause::Outside,
        }
    }
}

/// An activity of a thread that lasts, apart from polls and turns of the netpoller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It holds the processor with this index.
    Holds(u16),
    /// It is parked.
    Parked,
    /// It blocks in the netpoller.
    Netpoller,
    /// It helps with a parallel region of another thread.
    Helps,
    /// It runs a blocking job.
    BlockingJob,
    /// It is in a call that blocks, in the middle of a poll.
    InPlace,
}

/// The kind of an event, with its data. Times beside the stamp are in units of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A poll. It is recorded at its end; the stamp is its beginning.
    Poll {
        /// The task's number.
        task: u64,
        /// The processor's index, or [`NO_PROCESSOR`].
        processor: u16,
        /// Where the task was found: see [`TaskSource`](crate::TaskSource).
        source: u32,
        /// How long the poll took.
        lasted: u64,
        /// How it ended.
        outcome: PollOutcome,
    },
    /// The poll that the thread is in takes long, and is shown before its end. The stamp is its
    /// beginning.
    Opened {
        /// The task's number.
        task: u64,
        /// The processor's index, or [`NO_PROCESSOR`].
        processor: u16,
        /// Where the task was found.
        source: u32,
    },
    /// A task was woken or spawned, and is about to be queued.
    Readied {
        /// The task's number.
        task: u64,
        /// The processor that the waking thread holds, or [`NO_PROCESSOR`].
        processor: u16,
        /// The cause.
        by: WokenBy,
        /// True if it was spawned rather than woken.
        spawned: bool,
    },
    /// The poll that the thread is in ends, and its task waits for a lock or channel, which was
    /// made at the event's site.
    Waits {
        /// The task's number.
        task: u64,
        /// The processor's index, or [`NO_PROCESSOR`].
        processor: u16,
        /// The kind of the wait.
        awaited: Awaited,
    },
    /// A task is complete.
    Ended {
        /// The task's number.
        task: u64,
        /// The processor that the thread holds, or [`NO_PROCESSOR`].
        processor: u16,
    },
    /// A thief has taken tasks of another processor.
    Stolen {
        /// The thief's index.
        processor: u16,
        /// The victim's index.
        victim: u64,
        /// How many tasks were moved.
        tasks: u64,
    },
    /// A full ring has given half of its tasks to the injector.
    Overflow {
        /// The processor's index.
        processor: u16,
        /// How many tasks were moved.
        tasks: u64,
    },
    /// The watcher has found a poll that takes long.
    Stall {
        /// The task's number.
        task: u64,
        /// The processor's index.
        processor: u16,
        /// How long the poll has taken so far, in milliseconds.
        millis: u64,
        /// True if its thread sleeps in the kernel; else it computes.
        asleep: bool,
    },
    /// A turn of the netpoller. It is recorded once it has woken its tasks; the stamp
    /// is its beginning.
    Turn {
        /// How many sockets were ready.
        events: u32,
        /// How many timers were due.
        timers: u32,
        /// How long the turn took.
        lasted: u64,
    },
    /// The thread begins an activity.
    Enter(Activity),
    /// The thread ends an activity.
    Leave(Activity),
    /// The thread drives a simulation, and its events from here on happen on the host with this
    /// number; 0 stands for none.
    Host(u32),
}

/// The index that stands for no processor.
pub const NO_PROCESSOR: u16 = u16::MAX;

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// When it happened, by the counter. An untimed event happened at this time or later.
    pub stamp: u64,
    /// Bits 0-47 the task or another number, 48-63 the processor.
    subject: u64,
    /// Bits 0-3 the kind, bits 4-5 the depth, the rest by kind.
    detail: u64,
    /// Where the task that the event is about was spawned; of a wait, where the lock or channel was
    /// made.
    site: Option<&'static Location<'static>>,
}

const _: () = assert!(size_of::<Event>() <= 32);

const FLAG: u64 = 1 << 6;

/// A field within a word: its lowest bit, and how many bits it has.
#[derive(Clone, Copy)]
struct BitField(u32, u32);

const KIND: BitField = BitField(0, 4);
const DEPTH: BitField = BitField(4, 2);
/// For a poll: its outcome, source and duration.
const OUTCOME: BitField = BitField(7, 2);
const SOURCE: BitField = BitField(9, 15);
const LASTED: BitField = BitField(24, 40);
/// For other kinds: a small number, and a large one.
const SMALL: BitField = BitField(9, 3);
/// For a wake: whether its stamp is an earlier reading of the counter.
const UNTIMED: u64 = 1 << 12;
const LARGE: BitField = BitField(16, 48);
const NUMBER: BitField = BitField(0, 48);
const PROCESSOR: BitField = BitField(48, 16);
const LOW: BitField = BitField(0, 32);
const HIGH: BitField = BitField(32, 32);

impl BitField {
    const fn most(self) -> u64 {
        (1 << self.1) - 1
    }

    /// Returns the field with this value; bits that do not fit are cut off.
    #[inline(always)]
    const fn of(self, value: u64) -> u64 {
        (value & self.most()) << self.0
    }

    /// Returns the field with this value, or with the largest that fits.
    #[inline(always)]
    fn of_at_most(self, value: u64) -> u64 {
        value.min(self.most()) << self.0
    }

    #[inline(always)]
    fn get(self, word: u64) -> u64 {
        word >> self.0 & self.most()
    }
}

/// The numbers of the kinds.
mod kind {
    pub(super) const POLL: u64 = 0;
    pub(super) const OPENED: u64 = 1;
    pub(super) const READIED: u64 = 2;
    pub(super) const ENDED: u64 = 3;
    pub(super) const STOLEN: u64 = 4;
    pub(super) const OVERFLOW: u64 = 5;
    pub(super) const STALL: u64 = 6;
    pub(super) const TURN: u64 = 7;
    pub(super) const ENTER: u64 = 8;
    pub(super) const LEAVE: u64 = 9;
    pub(super) const WAITS: u64 = 10;
    pub(super) const HOST: u64 = 11;
}

#[inline(always)]
const fn about(number: u64, processor: u16) -> u64 {
    NUMBER.of(number) | PROCESSOR.of(processor as u64)
}

/// The beginning of a poll, packed as in its event, so that little is left to do at its end.
#[derive(Clone, Copy, Debug)]
pub struct PollStart {
    subject: u64,
    source: u64,
    site: Option<&'static Location<'static>>,
}

impl PollStart {
    /// Packs the beginning of a poll of `task`, which was found in `source` and spawned at `site`.
    #[inline(always)]
    pub const fn new(task: u64, processor: u16, source: u32, site: Option<&'static Location<'static>>) -> Self {
        Self { subject: about(task, processor), source: SOURCE.of(source as u64), site }
    }

    /// Returns the task's number.
    #[inline(always)]
    pub fn task(&self) -> u64 {
        NUMBER.get(self.subject)
    }

    /// Returns the event of the poll, which began at `stamp` and took `lasted`.
    #[inline(always)]
    pub fn poll(self, stamp: u64, lasted: u64, outcome: PollOutcome) -> Event {
        let detail = KIND.of(kind::POLL) | self.source | OUTCOME.of(outcome as u64) | LASTED.of_at_most(lasted);
        Event { stamp, subject: self.subject, detail, site: self.site }
    }

    /// Returns the event that shows the poll before its end.
    #[inline]
    pub fn opened(self, stamp: u64) -> Event {
        Event { stamp, subject: self.subject, detail: KIND.of(kind::OPENED) | self.source, site: self.site }
    }
}

impl Event {
    /// Returns an [`EventKind::Readied`], by the shortest way.
    #[inline(always)]
    pub fn readied(stamp: u64, task: u64, processor: u16, by: WokenBy, spawned: bool) -> Self {
        let by = match by {
            WokenBy::Task(waker) => SMALL.of(0) | LARGE.of(waker),
            WokenBy::Network => SMALL.of(1),
            WokenBy::Timer => SMALL.of(2),
            WokenBy::Outside => SMALL.of(3),
        };
        let detail = KIND.of(kind::READIED) | by | if spawned { FLAG } else { 0 };
        Self { stamp, subject: about(task, processor), detail, site: None }
    }

    /// Packs an event. Numbers that do not fit are shortened: see docs/TIMELINE.md.
    #[inline]
    pub fn new(stamp: u64, kind: EventKind) -> Self {
        let (kind, subject, rest) = match kind {
            EventKind::Poll { task, processor, source, lasted, outcome } => {
                return PollStart::new(task, processor, source, None).poll(stamp, lasted, outcome);
            }
            EventKind::Opened { task, processor, source } => {
                return PollStart::new(task, processor, source, None).opened(stamp);
            }
            EventKind::Readied { task, processor, by, spawned } => {
                return Self::readied(stamp, task, processor, by, spawned);
            }
            EventKind::Waits { task, processor, awaited } => {
                (kind::WAITS, about(task, processor), LARGE.of(awaited as u64))
            }
            EventKind::Ended { task, processor } => (kind::ENDED, about(task, processor), 0),
            EventKind::Stolen { processor, victim, tasks } => (kind::STOLEN, about(tasks, processor), LARGE.of(victim)),
            EventKind::Overflow { processor, tasks } => (kind::OVERFLOW, about(tasks, processor), 0),
            EventKind::Stall { task, processor, millis, asleep } => {
                (kind::STALL, about(task, processor), LARGE.of_at_most(millis) | if asleep { FLAG } else { 0 })
            }
            EventKind::Turn { events, timers, lasted } => {
                (kind::TURN, LOW.of(events.into()) | HIGH.of(timers.into()), LARGE.of_at_most(lasted))
            }
            EventKind::Enter(activity) => (kind::ENTER, activity_number(activity), 0),
            EventKind::Leave(activity) => (kind::LEAVE, activity_number(activity), 0),
            EventKind::Host(host) => (kind::HOST, LOW.of(host.into()), 0),
        };
        Self { stamp, subject, detail: KIND.of(kind) | rest, site: None }
    }

    /// Adds where the task that it is about was spawned, or what it waits for was made.
    #[inline(always)]
    #[must_use]
    pub fn at(mut self, site: Option<&'static Location<'static>>) -> Self {
        self.site = site;
        self
    }

    /// Returns where the task that it is about was spawned, or what it waits for was made.
    pub fn site(&self) -> Option<&'static Location<'static>> {
        self.site
    }

    /// Adds the depth: within how many polls and turns of its thread it happens, which are recorded
    /// later.
    #[inline(always)]
    #[must_use]
    pub fn within(mut self, depth: u32) -> Self {
        self.detail |= DEPTH.of(depth.into());
        self
    }

    /// Marks a wake as untimed: it happened after its stamp and before the thread's next event.
    #[inline(always)]
    #[must_use]
    pub fn untimed(mut self) -> Self {
        self.detail |= UNTIMED;
        self
    }

    /// Returns whether the event is an untimed wake.
    pub fn is_untimed(&self) -> bool {
        KIND.get(self.detail) == kind::READIED && self.detail & UNTIMED != 0
    }

    /// Returns the depth; 3 means three or more.
    pub fn depth(&self) -> u32 {
        DEPTH.get(self.detail) as u32
    }

    /// Returns the host of the events behind it, if that is what it says.
    #[inline]
    pub fn host(&self) -> Option<u32> {
        (KIND.get(self.detail) == kind::HOST).then(|| LOW.get(self.subject) as u32)
    }

    /// Unpacks the event.
    pub fn kind(&self) -> EventKind {
        let (subject, detail) = (self.subject, self.detail);
        let (task, processor) = (NUMBER.get(subject), PROCESSOR.get(subject) as u16);
        let (flag, large) = (detail & FLAG != 0, LARGE.get(detail));
        match KIND.get(detail) {
            kind::POLL => EventKind::Poll {
                task,
                processor,
                source: SOURCE.get(detail) as u32,
                lasted: LASTED.get(detail),
                outcome: outcome(OUTCOME.get(detail)),
            },
            kind::OPENED => EventKind::Opened { task, processor, source: SOURCE.get(detail) as u32 },
            kind::READIED => {
                let by = match SMALL.get(detail) {
                    0 => WokenBy::Task(large),
                    1 => WokenBy::Network,
                    2 => WokenBy::Timer,
                    _ => WokenBy::Outside,
                };
                EventKind::Readied { task, processor, by, spawned: flag }
            }
            kind::WAITS => EventKind::Waits { task, processor, awaited: awaited(large) },
            kind::ENDED => EventKind::Ended { task, processor },
            kind::STOLEN => EventKind::Stolen { processor, victim: large, tasks: task },
            kind::OVERFLOW => EventKind::Overflow { processor, tasks: task },
            kind::STALL => EventKind::Stall { task, processor, millis: large, asleep: flag },
            kind::TURN => {
                EventKind::Turn { events: LOW.get(subject) as u32, timers: HIGH.get(subject) as u32, lasted: large }
            }
            kind::ENTER => EventKind::Enter(activity(subject)),
            kind::HOST => EventKind::Host(LOW.get(subject) as u32),
            _ => EventKind::Leave(activity(subject)),
        }
    }
}

fn outcome(number: u64) -> PollOutcome {
    match number {
        1 => PollOutcome::Ready,
        2 => PollOutcome::HandedOver,
        _ => PollOutcome::Pending,
    }
}

fn awaited(number: u64) -> Awaited {
    Awaited::ALL[(number as usize).min(Awaited::ALL.len() - 1)]
}

fn activity_number(activity: Activity) -> u64 {
    match activity {
        Activity::Holds(processor) => about(0, processor),
        Activity::Parked => 1,
        Activity::Netpoller => 2,
        Activity::Helps => 3,
        Activity::BlockingJob => 4,
        Activity::InPlace => 5,
    }
}

fn activity(subject: u64) -> Activity {
    match NUMBER.get(subject) {
        0 => Activity::Holds(PROCESSOR.get(subject) as u16),
        1 => Activity::Parked,
        2 => Activity::Netpoller,
        3 => Activity::Helps,
        4 => Activity::BlockingJob,
        _ => Activity::InPlace,
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
