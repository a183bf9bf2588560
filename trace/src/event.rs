//! Events: 32 bytes each, whatever they tell of. The table of their bits is in docs/TIMELINE.md.

use std::panic::Location;

/// Who or what has woken a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Another task, or the same.
    Task(u64),
    Network,
    Timer,
    /// A thread that polls no task.
    Outside,
}

/// What a thread does for a while, apart from polls and turns of the netpoller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// It holds the processor with this index.
    Holds(u16),
    Parked,
    /// It blocks in the netpoller.
    Netpoller,
    /// It works on a region of others.
    Helps,
    /// It runs a blocking job.
    BlockingJob,
    /// It is in a call that blocks, with a task in hand.
    InPlace,
}

/// What an event tells. Times beside the stamp are in units of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A poll, written when it has ended; the stamp is when it began.
    Poll {
        task: u64,
        processor: u16,
        source: u32,
        lasted: u64,
        outcome: Outcome,
    },
    /// A poll goes on for long: it is the one that the thread is in. The stamp is when it began.
    Opened {
        task: u64,
        processor: u16,
        source: u32,
    },
    /// A task was woken, or made, and is about to be queued.
    Readied {
        task: u64,
        processor: u16,
        by: By,
        spawned: bool,
    },
    /// A task is complete.
    Ended {
        task: u64,
        processor: u16,
    },
    Stolen {
        processor: u16,
        victim: u64,
        tasks: u64,
    },
    Overflow {
        processor: u16,
        tasks: u64,
    },
    /// Seen by the watcher: this poll has lasted for so many milliseconds.
    Stall {
        task: u64,
        processor: u16,
        millis: u64,
        asleep: bool,
    },
    /// A turn of the netpoller, written when what it has readied was woken; the stamp is when it began.
    Turn {
        events: u32,
        timers: u32,
        lasted: u64,
    },
    Enter(Span),
    Leave(Span),
}

/// How a poll ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pending,
    Ready,
    /// The processor was handed over in the middle: what followed was on the thread alone.
    HandedOver,
}

/// No processor: the index that none has.
pub const NO_PROCESSOR: u16 = u16::MAX;

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// When, by the counter. If the event is untimed, no later than that.
    pub stamp: u64,
    /// Bits 0-47 the task or another number, 48-63 the processor.
    subject: u64,
    /// Bits 0-3 the kind, bits 4-5 within how many polls or turns it happened that are written later; the rest by kind.
    detail: u64,
    /// Where the task that it is about was spawned.
    site: Option<&'static Location<'static>>,
}

const _: () = assert!(size_of::<Event>() <= 32);

const FLAG: u64 = 1 << 6;

/// A field of so many bits at this place.
#[derive(Clone, Copy)]
struct Field(u32, u32);

const KIND: Field = Field(0, 4);
const DEPTH: Field = Field(4, 2);
/// Of a poll: outcome, source, and for how long.
const OUTCOME: Field = Field(7, 2);
const SOURCE: Field = Field(9, 15);
const LASTED: Field = Field(24, 40);
/// Of others: a small number, and a large one.
const SMALL: Field = Field(9, 3);
/// Of a wake: whether no look at the counter was taken for it.
const UNTIMED: u64 = 1 << 12;
const LARGE: Field = Field(16, 48);
const NUMBER: Field = Field(0, 48);
const PROCESSOR: Field = Field(48, 16);
const LOW: Field = Field(0, 32);
const HIGH: Field = Field(32, 32);

impl Field {
    const fn most(self) -> u64 {
        (1 << self.1) - 1
    }

    /// The field with this value; what does not fit loses its upper bits.
    #[inline(always)]
    const fn of(self, value: u64) -> u64 {
        (value & self.most()) << self.0
    }

    /// The field with this value, or with the most that fits.
    #[inline(always)]
    fn of_at_most(self, value: u64) -> u64 {
        value.min(self.most()) << self.0
    }

    fn get(self, word: u64) -> u64 {
        word >> self.0 & self.most()
    }
}

#[inline(always)]
fn about(number: u64, processor: u16) -> u64 {
    NUMBER.of(number) | PROCESSOR.of(processor.into())
}

/// What is known of a poll when it begins, as the words of its event: all that is left to do at its end is to fill in the rest.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    subject: u64,
    source: u64,
    site: Option<&'static Location<'static>>,
}

impl Begun {
    #[inline(always)]
    pub const fn new(task: u64, processor: u16, source: u32, site: Option<&'static Location<'static>>) -> Self {
        let subject = NUMBER.of(task) | PROCESSOR.of(processor as u64);
        Self { subject, source: SOURCE.of(source as u64), site }
    }

    #[inline(always)]
    pub fn task(&self) -> u64 {
        NUMBER.get(self.subject)
    }

    /// The event of the poll, which began at `stamp`.
    #[inline(always)]
    pub fn poll(self, stamp: u64, lasted: u64, outcome: Outcome) -> Event {
        let detail = KIND.of(0) | self.source | OUTCOME.of(outcome as u64) | LASTED.of_at_most(lasted);
        Event { stamp, subject: self.subject, detail, site: self.site }
    }

    /// The event that opens it.
    pub fn opened(self, stamp: u64) -> Event {
        Event { stamp, subject: self.subject, detail: KIND.of(1) | self.source, site: self.site }
    }
}

impl Event {
    /// A task was readied: [`What::Readied`], for those who are in a hurry.
    #[inline(always)]
    pub fn readied(stamp: u64, task: u64, processor: u16, by: By, spawned: bool) -> Self {
        let by = match by {
            By::Task(waker) => SMALL.of(0) | LARGE.of(waker),
            By::Network => SMALL.of(1),
            By::Timer => SMALL.of(2),
            By::Outside => SMALL.of(3),
        };
        let detail = KIND.of(2) | by | if spawned { FLAG } else { 0 };
        Self { stamp, subject: about(task, processor), detail, site: None }
    }

    pub fn new(stamp: u64, what: What) -> Self {
        let (kind, subject, rest) = match what {
            What::Poll { task, processor, source, lasted, outcome } => {
                return Begun::new(task, processor, source, None).poll(stamp, lasted, outcome);
            }
            What::Opened { task, processor, source } => (1, about(task, processor), SOURCE.of(source.into())),
            What::Readied { task, processor, by, spawned } => {
                return Self::readied(stamp, task, processor, by, spawned);
            }
            What::Ended { task, processor } => (3, about(task, processor), 0),
            What::Stolen { processor, victim, tasks } => (4, about(tasks, processor), LARGE.of(victim)),
            What::Overflow { processor, tasks } => (5, about(tasks, processor), 0),
            What::Stall { task, processor, millis, asleep } => {
                (6, about(task, processor), LARGE.of_at_most(millis) | if asleep { FLAG } else { 0 })
            }
            What::Turn { events, timers, lasted } => {
                (7, LOW.of(events.into()) | HIGH.of(timers.into()), LARGE.of_at_most(lasted))
            }
            What::Enter(span) => (8, span_number(span), 0),
            What::Leave(span) => (9, span_number(span), 0),
        };
        Self { stamp, subject, detail: KIND.of(kind) | rest, site: None }
    }

    /// The same event, about a task that was spawned there.
    #[inline(always)]
    pub fn at(mut self, site: Option<&'static Location<'static>>) -> Self {
        self.site = site;
        self
    }

    /// Where the task that it is about was spawned, if it is about one.
    pub fn site(&self) -> Option<&'static Location<'static>> {
        self.site
    }

    /// The same event, within so many polls or turns that the same thread writes down when they are over.
    #[inline(always)]
    pub fn within(mut self, depth: u32) -> Self {
        self.detail |= DEPTH.of(depth.into());
        self
    }

    /// The same event, which happened some time after its stamp and before the next one of the thread.
    #[inline(always)]
    pub fn untimed(mut self) -> Self {
        self.detail |= UNTIMED;
        self
    }

    pub fn is_untimed(&self) -> bool {
        matches!(self.what(), What::Readied { .. }) && self.detail & UNTIMED != 0
    }

    /// Within how many polls or turns it happened that the same thread writes down later; three means three or more.
    pub fn depth(&self) -> u32 {
        DEPTH.get(self.detail) as u32
    }

    pub fn what(&self) -> What {
        let (subject, detail) = (self.subject, self.detail);
        let (task, processor) = (NUMBER.get(subject), PROCESSOR.get(subject) as u16);
        let (flag, large) = (detail & FLAG != 0, LARGE.get(detail));
        match KIND.get(detail) {
            0 => What::Poll {
                task,
                processor,
                source: SOURCE.get(detail) as u32,
                lasted: LASTED.get(detail),
                outcome: [Outcome::Pending, Outcome::Ready, Outcome::HandedOver, Outcome::Pending]
                    [OUTCOME.get(detail) as usize],
            },
            1 => What::Opened { task, processor, source: SOURCE.get(detail) as u32 },
            2 => {
                let by = match SMALL.get(detail) {
                    0 => By::Task(large),
                    1 => By::Network,
                    2 => By::Timer,
                    _ => By::Outside,
                };
                What::Readied { task, processor, by, spawned: flag }
            }
            3 => What::Ended { task, processor },
            4 => What::Stolen { processor, victim: large, tasks: task },
            5 => What::Overflow { processor, tasks: task },
            6 => What::Stall { task, processor, millis: large, asleep: flag },
            7 => What::Turn { events: LOW.get(subject) as u32, timers: HIGH.get(subject) as u32, lasted: large },
            8 => What::Enter(span(subject)),
            _ => What::Leave(span(subject)),
        }
    }
}

fn span_number(span: Span) -> u64 {
    match span {
        Span::Holds(processor) => about(0, processor),
        Span::Parked => 1,
        Span::Netpoller => 2,
        Span::Helps => 3,
        Span::BlockingJob => 4,
        Span::InPlace => 5,
    }
}

fn span(subject: u64) -> Span {
    match NUMBER.get(subject) {
        0 => Span::Holds(PROCESSOR.get(subject) as u16),
        1 => Span::Parked,
        2 => Span::Netpoller,
        3 => Span::Helps,
        4 => Span::BlockingJob,
        _ => Span::InPlace,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_goes_into_an_event_comes_out_of_it() {
        let poll = |outcome| What::Poll {
            task: (1 << 48) - 2,
            processor: 511,
            source: 4095 << 3 | 5,
            lasted: 1 << 39,
            outcome,
        };
        let readied = |by, spawned| What::Readied { task: 3, processor: NO_PROCESSOR, by, spawned };
        let all = [
            poll(Outcome::Pending),
            poll(Outcome::Ready),
            poll(Outcome::HandedOver),
            What::Opened { task: 5, processor: 1, source: 2 },
            readied(By::Task((1 << 48) - 1), true),
            readied(By::Network, false),
            readied(By::Timer, false),
            readied(By::Outside, true),
            What::Ended { task: 8, processor: 0 },
            What::Stolen { processor: 1, victim: 700, tasks: 128 },
            What::Overflow { processor: 1, tasks: 129 },
            What::Stall { task: 9, processor: 3, millis: 1 << 40, asleep: true },
            What::Turn { events: 1024, timers: u32::MAX, lasted: 1 << 47 },
            What::Enter(Span::Holds(12)),
            What::Leave(Span::Parked),
            What::Enter(Span::Netpoller),
            What::Leave(Span::Helps),
            What::Enter(Span::BlockingJob),
            What::Leave(Span::InPlace),
        ];
        for what in all {
            for depth in 0..4 {
                let event = Event::new(77, what).within(depth);
                assert_eq!((event.stamp, event.what(), event.depth()), (77, what, depth));
                let is_wake = matches!(what, What::Readied { .. });
                assert!(!event.is_untimed());
                if is_wake {
                    assert_eq!((event.untimed().what(), event.untimed().is_untimed()), (what, true));
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_is_shown_as_the_most_there_is() {
        let poll = What::Poll { task: u64::MAX, processor: 1, source: 0, lasted: u64::MAX, outcome: Outcome::Ready };
        let What::Poll { task, processor, lasted, outcome, .. } = Event::new(0, poll).what() else { panic!("a poll") };
        assert_eq!((task, processor, lasted, outcome), ((1 << 48) - 1, 1, (1 << 40) - 1, Outcome::Ready));
    }
}
