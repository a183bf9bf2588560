//! Counters that any thread may read. A counter with a single writer at a time is updated with a
//! plain store: no shared cache line, and no locked cycle.

use wsrt_reactor::Turn;
use wsrt_reactor::timer::Fired;
use wsrt_trace::TaskSource;

use crate::observe::victims::Victims;
use crate::util::sync::unmodelled::AtomicU64;
use crate::util::sync::unmodelled::Ordering::Relaxed;

/// A counter that never decreases.
pub(crate) trait Count {
    fn add(&self, count: u64);

    /// Raises the counter to `least` if it is lower.
    fn raise_to(&self, least: u64);

    fn get(&self) -> u64;
}

/// A counter with a single writer.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `count`. Only the one thread that currently owns the counter may call this: two
    /// concurrent calls could lose counts.
    #[inline]
    pub(crate) fn add(&self, count: u64) {
        self.0.store(self.get().wrapping_add(count), Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Count for Counter {
    fn add(&self, count: u64) {
        self.add(count);
    }

    fn raise_to(&self, least: u64) {
        if self.get() < least {
            self.0.store(least, Relaxed);
        }
    }

    fn get(&self) -> u64 {
        self.get()
    }
}

/// A counter that any thread may add to, off the fast paths: each addition costs a locked cycle.
#[derive(Debug, Default)]
pub(crate) struct SharedCounter(AtomicU64);

impl Count for SharedCounter {
    fn add(&self, count: u64) {
        self.0.fetch_add(count, Relaxed);
    }

    fn raise_to(&self, least: u64) {
        self.0.fetch_max(least, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Counters of what arrives from outside the runtime's tasks: network events and due timers.
#[derive(Debug, Default)]
pub(crate) struct Arrivals<C> {
    /// The number of netpoller turns.
    pub(crate) turns: C,
    /// The number of events that reached a socket in these turns.
    pub(crate) events: C,
    /// The number of timers that have fired.
    pub(crate) timers: C,
    /// The sum of the timers' delays, in nanoseconds.
    pub(crate) late: C,
    /// The longest delay of a timer, in nanoseconds.
    pub(crate) latest: C,
}

impl<C: Count> Arrivals<C> {
    /// Counts a turn of the netpoller, if the turn took place.
    pub(crate) fn count_turn(&self, turn: Turn) {
        if let Turn::Polled { events, .. } = turn {
            self.turns.add(1);
            self.events.add(events as u64);
        }
    }

    pub(crate) fn count_fired(&self, fired: Fired) {
        if fired.count > 0 {
            self.timers.add(fired.count as u64);
            self.late.add(fired.late);
            self.latest.raise_to(fired.latest);
        }
    }
}

/// The counters of one processor, written by the processor's holder.
#[derive(Debug)]
pub(crate) struct Counters {
    /// The number of task polls, by the kind of place where the task was found.
    polls: [Counter; TaskSource::MOST],
    /// The successful steals by this processor.
    pub(crate) steals: Victims,
    /// The number of times that the holder gave the processor up for lack of work.
    pub(crate) parks: Counter,
    /// The number of times that the processor left the idle set.
    pub(crate) wakes: Counter,
    /// The number of times that the processor returned to the idle set.
    pub(crate) rests: Counter,
    /// The number of times that the processor returned to the idle set without having polled.
    pub(crate) useless_wakes: Counter,
    /// The number of netpolls, including attempts while another thread was in the netpoller.
    pub(crate) netpolls: Counter,
    /// The number of times that the ring was full.
    pub(crate) overflows: Counter,
    pub(crate) arrivals: Arrivals<Counter>,
}

impl Counters {
    /// Creates the counters for one of up to `most` processors, `regular` of which exist from the
    /// start.
    pub(crate) fn new(regular: usize, most: usize) -> Self {
        Self {
            polls: Default::default(),
            steals: Victims::new(regular, most),
            parks: Counter::default(),
            wakes: Counter::default(),
            rests: Counter::default(),
            useless_wakes: Counter::default(),
            netpolls: Counter::default(),
            overflows: Counter::default(),
            arrivals: Arrivals::default(),
        }
    }

    /// Counts a poll of a task found in a place of kind `kind`, which is less than
    /// [`TaskSource::MOST`].
    #[inline]
    pub(crate) fn count_poll(&self, kind: usize) {
        self.polls[kind].add(1);
    }

    /// Returns the number of polls. A thief that sees this number unchanged knows that its victim
    /// is still in one long poll.
    pub(crate) fn polls(&self) -> u64 {
        self.polls.iter().map(Counter::get).sum()
    }

    /// Returns the numbers of polls, by the kind of place where the task was found.
    pub(crate) fn polls_by_kind(&self) -> [u64; TaskSource::MOST] {
        self.polls.each_ref().map(Counter::get)
    }
}
