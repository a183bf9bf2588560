//! The events of the timeline, packed into 32 bytes each. docs/TIMELINE.md describes the meaning of
//! every bit.

use std::panic::Location;

use crate::names::{Awaited, PollOutcome, WakeCause};

/// The cause of a wake: a task, the netpoller, a timer, or a thread that was not polling a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WokenBy {
    /// The task with this id, which may have woken itself.
    Task(u64),
    /// A turn of the netpoller, because a socket became ready.
    Network,
    /// A timer that was due.
    Timer,
    /// A thread that was not polling a task.
    Outside,
}

impl WokenBy {
    #[inline(always)]
    fn number(self) -> u64 {
        match self {
            WokenBy::Task(_) => 0,
            WokenBy::Network => 1,
            WokenBy::Timer => 2,
            WokenBy::Outside => 3,
        }
    }

    /// Returns the kind of the cause, which has a name in traces.
    pub fn cause(self) -> WakeCause {
        match self {
            WokenBy::Task(_) => WakeCause::Task,
            WokenBy::Network => WakeCause::Network,
            WokenBy::Timer => WakeCause::Timer,
            WokenBy::Outside => WakeCause::Outside,
        }
    }
}

/// A lasting activity of a thread, other than a poll or a turn of the netpoller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The thread holds the processor with this index.
    Holds(u16),
    /// The thread is parked because it has no work.
    Parked,
    /// The thread blocks in the netpoller and waits for sockets.
    Netpoller,
    /// The thread helps with another thread's parallel region.
    Helps,
    /// The thread runs a blocking job.
    BlockingJob,
    /// The thread is in a blocking call in the middle of a poll.
    InPlace,
}

/// The kind of an event, together with the event's data.
///
/// Durations are in units of the counter that stamps events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A task was polled. The event is recorded at the end of the poll, and its stamp is the
    /// beginning.
    Poll {
        /// The id of the polled task.
        task: u64,
        /// The index of the processor that polled the task, or [`NO_PROCESSOR`].
        processor: u16,
        /// Where the scheduler found the task, as the number of a
        /// [`TaskSource`](crate::TaskSource).
        source: u32,
        /// The duration of the poll, in units of the counter.
        lasted: u64,
        /// How the poll ended.
        outcome: PollOutcome,
    },
    /// A long poll that has not ended yet is shown early. The stamp is the beginning of the poll.
    Opened {
        /// The id of the polled task.
        task: u64,
        /// The index of the processor that polls the task, or [`NO_PROCESSOR`].
        processor: u16,
        /// Where the scheduler found the task, as the number of a
        /// [`TaskSource`](crate::TaskSource).
        source: u32,
    },
    /// A task was woken or spawned, and is about to be queued.
    Readied {
        /// The id of the task that became ready.
        task: u64,
        /// The index of the processor that the waking thread holds, or [`NO_PROCESSOR`].
        processor: u16,
        /// What woke the task.
        by: WokenBy,
        /// True if the task was spawned, and false if it was woken.
        spawned: bool,
    },
    /// A poll ends because the task waits for a lock or a channel. The event's site is the location
    /// at which the lock or channel was created.
    Waits {
        /// The id of the waiting task.
        task: u64,
        /// The index of the processor that polls the task, or [`NO_PROCESSOR`].
        processor: u16,
        /// What the task waits for.
        awaited: Awaited,
    },
    /// A task has completed.
    Ended {
        /// The id of the completed task.
        task: u64,
        /// The index of the processor that the thread holds, or [`NO_PROCESSOR`].
        processor: u16,
    },
    /// A processor has stolen tasks from another processor.
    Stolen {
        /// The index of the processor that stole the tasks.
        processor: u16,
        /// The index of the processor from which the tasks were stolen.
        victim: u64,
        /// The number of tasks that were stolen.
        tasks: u64,
    },
    /// A processor's ring was full, and half of its tasks were moved to the injector.
    Overflow {
        /// The index of the processor whose ring was full.
        processor: u16,
        /// The number of tasks that were moved.
        tasks: u64,
    },
    /// The runtime's watcher thread has found a poll that takes too long.
    Stall {
        /// The id of the polled task.
        task: u64,
        /// The index of the processor that polls the task.
        processor: u16,
        /// How long the poll has taken so far, in milliseconds.
        millis: u64,
        /// True if the polling thread is asleep in the kernel, and false if it is running.
        asleep: bool,
    },
    /// A turn of the netpoller. The event is recorded after the turn has woken its tasks, and its
    /// stamp is the beginning.
    Turn {
        /// The number of sockets that were ready.
        events: u32,
        /// The number of timers that were due.
        timers: u32,
        /// The duration of the turn, in units of the counter.
        lasted: u64,
    },
    /// The thread begins an activity, which lasts until the corresponding `Leave` event.
    Enter(Activity),
    /// The thread ends an activity that it began with an `Enter` event.
    Leave(Activity),
    /// The thread drives a simulation, and its next events happen on the host with this number. The
    /// number 0 stands for no host.
    Host(u32),
}

/// The processor index that stands for "no processor".
pub const NO_PROCESSOR: u16 = u16::MAX;

/// One event of the timeline, packed into 32 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The time of the event, in units of the counter. An untimed event happened at this time or
    /// later.
    pub stamp: u64,
    /// Bits 0-47 hold the task or another number, bits 48-63 the processor.
    subject: u64,
    /// Bits 0-3 hold the kind, bits 4-5 the depth. The meaning of the rest depends on the kind.
    detail: u64,
    /// The location at which the event's task was spawned or, for a wait, the location at which the
    /// lock or channel was created.
    site: Option<&'static Location<'static>>,
}

const _: () = assert!(size_of::<Event>() <= 32);

const FLAG: u64 = 1 << 6;

/// A bit field within a word: its lowest bit, and its width in bits.
#[derive(Clone, Copy)]
struct BitField(u32, u32);

const KIND: BitField = BitField(0, 4);
const DEPTH: BitField = BitField(4, 2);
/// The fields of a poll: its outcome, source and duration.
const OUTCOME: BitField = BitField(7, 2);
const SOURCE: BitField = BitField(9, 15);
const LASTED: BitField = BitField(24, 40);
/// The fields of other kinds: a small and a large number.
const SMALL: BitField = BitField(9, 3);
/// The flag of a wake whose stamp is an earlier reading of the counter.
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

    /// Returns the field with this value. Bits that do not fit are cut off.
    #[inline(always)]
    const fn of(self, value: u64) -> u64 {
        (value & self.most()) << self.0
    }

    /// Returns the field with this value, or with the largest value that fits.
    #[inline(always)]
    fn of_at_most(self, value: u64) -> u64 {
        value.min(self.most()) << self.0
    }

    #[inline(always)]
    fn get(self, word: u64) -> u64 {
        word >> self.0 & self.most()
    }
}

/// The numbers of the event kinds.
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

/// The beginning of a poll, packed in advance so that recording the end of the poll is cheap.
#[derive(Clone, Copy, Debug)]
pub struct PollStart {
    subject: u64,
    source: u64,
    site: Option<&'static Location<'static>>,
}

impl PollStart {
    /// Packs the beginning of a poll of `task`. `source` is where the scheduler found the task, and
    /// `site` is the location at which the task was spawned.
    #[inline(always)]
    pub const fn new(task: u64, processor: u16, source: u32, site: Option<&'static Location<'static>>) -> Self {
        Self { subject: about(task, processor), source: SOURCE.of(source as u64), site }
    }

    /// Returns the id of the polled task.
    #[inline(always)]
    pub fn task(&self) -> u64 {
        NUMBER.get(self.subject)
    }

    /// Returns the event for the completed poll, which began at `stamp` and lasted `lasted` units
    /// of the counter.
    #[inline(always)]
    pub fn poll(self, stamp: u64, lasted: u64, outcome: PollOutcome) -> Event {
        let detail = KIND.of(kind::POLL) | self.source | OUTCOME.of(outcome as u64) | LASTED.of_at_most(lasted);
        Event { stamp, subject: self.subject, detail, site: self.site }
    }

    /// Returns the event that shows the poll before the poll has ended.
    #[inline]
    pub fn opened(self, stamp: u64) -> Event {
        Event { stamp, subject: self.subject, detail: KIND.of(kind::OPENED) | self.source, site: self.site }
    }
}

impl Event {
    /// Creates an [`EventKind::Readied`] event. This is faster than [`Event::new`].
    #[inline(always)]
    pub fn readied(stamp: u64, task: u64, processor: u16, by: WokenBy, spawned: bool) -> Self {
        // Two numbers rather than a match over words, which becomes a jump.
        let waker = if let WokenBy::Task(waker) = by { waker } else { 0 };
        let by = SMALL.of(by.number()) | LARGE.of(waker);
        let detail = KIND.of(kind::READIED) | by | if spawned { FLAG } else { 0 };
        Self { stamp, subject: about(task, processor), detail, site: None }
    }

    /// Packs an event of the given kind. Numbers that do not fit are shortened, as docs/TIMELINE.md
    /// describes.
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

    /// Sets the event's site: where the task was spawned or, for a wait, where the lock or channel
    /// was created.
    #[inline(always)]
    #[must_use]
    pub fn at(mut self, site: Option<&'static Location<'static>>) -> Self {
        self.site = site;
        self
    }

    /// Returns the event's site: where the task was spawned or, for a wait, where the lock or
    /// channel was created.
    pub fn site(&self) -> Option<&'static Location<'static>> {
        self.site
    }

    /// Sets the event's depth: the number of polls and turns on the same thread that the event is
    /// nested in, and that are recorded after it.
    #[inline(always)]
    #[must_use]
    pub fn within(mut self, depth: u32) -> Self {
        self.detail |= DEPTH.of(depth.into());
        self
    }

    /// Marks the wake as untimed: it happened after its stamp and before the thread's next event.
    #[inline(always)]
    #[must_use]
    pub fn untimed(mut self) -> Self {
        self.detail |= UNTIMED;
        self
    }

    /// Returns the time at which the event was recorded, in units of the counter. A poll or a turn
    /// of the netpoller is recorded at its end.
    #[inline]
    pub fn recorded_at(&self) -> u64 {
        match KIND.get(self.detail) {
            kind::POLL => self.stamp + LASTED.get(self.detail),
            kind::TURN => self.stamp + LARGE.get(self.detail),
            _ => self.stamp,
        }
    }

    /// Returns whether the event is an untimed wake.
    #[inline]
    pub fn is_untimed(&self) -> bool {
        KIND.get(self.detail) == kind::READIED && self.detail & UNTIMED != 0
    }

    /// Returns the event's depth. A depth of 3 means three or more.
    pub fn depth(&self) -> u32 {
        DEPTH.get(self.detail) as u32
    }

    /// Returns the host on which the thread's next events happen, if this is an [`EventKind::Host`]
    /// event.
    #[inline]
    pub fn host(&self) -> Option<u32> {
        (KIND.get(self.detail) == kind::HOST).then(|| LOW.get(self.subject) as u32)
    }

    /// Unpacks the event's kind and data.
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

#[cfg(all(test, not(wsrt_loom)))]
mod tests;
