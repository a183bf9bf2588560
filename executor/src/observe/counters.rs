//! Counts that any thread may read. A count with one writer at a time is a plain store: no
//! shared line, no locked cycle.

use wsrt_reactor::Turn;
use wsrt_reactor::timer::Fired;
use wsrt_trace::TaskSource;

use crate::observe::victims::Victims;
use crate::util::sync::unmodelled::AtomicU64;
use crate::util::sync::unmodelled::Ordering::Relaxed;

/// A count that never falls.
pub(crate) trait Count {
    fn add(&self, count: u64);

    /// Makes it `least` if it is less.
    fn raise_to(&self, least: u64);

    fn get(&self) -> u64;
}

/// A count with a single writer.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `count`. Only for the one thread that owns the counter now: two at once could lose
    /// counts.
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

/// A count that any thread may add to, off the fast paths: each addition costs a locked cycle.
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

/// The arrivals from outside the runtime's tasks: events of the network, and timers that were
/// due.
#[derive(Debug, Default)]
pub(crate) struct Arrivals<C> {
    /// Turns of the netpoller.
    pub(crate) turns: C,
    /// Events in them that reached a socket.
    pub(crate) events: C,
    /// Timers fired.
    pub(crate) timers: C,
    /// The sum of their delays, in nanoseconds.
    pub(crate) late: C,
    /// The longest of their delays.
    pub(crate) latest: C,
}

impl<C: Count> Arrivals<C> {
    /// Counts a turn, if it took place.
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

/// A processor's counts, written by its holder.
#[derive(Debug)]
pub(crate) struct Counters {
    /// Polls of tasks, by the kind of place where the task was found.
    polls: [Counter; TaskSource::MOST],
    /// Successful steals by this processor.
    pub(crate) steals: Victims,
    /// Times that its holder gave the processor up for lack of work.
    pub(crate) parks: Counter,
    /// Times that it was taken up from among the idle.
    pub(crate) wakes: Counter,
    /// Times that it was back among them.
    pub(crate) rests: Counter,
    /// Times that it was back among them without a poll in between.
    pub(crate) useless_wakes: Counter,
    /// Looks at the netpoller, also while another thread was in it.
    pub(crate) netpolls: Counter,
    /// Times that the ring was full.
    pub(crate) overflows: Counter,
    pub(crate) arrivals: Arrivals<Counter>,
}

impl Counters {
    /// Counters for one of up to `most` processors, `regular` of which are there from the start.
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

    /// Counts a poll of a task that was found in a place of this kind, a number below
    /// [`TaskSource::MOST`].
    #[inline]
    pub(crate) fn count_poll(&self, kind: usize) {
        self.polls[kind].add(1);
    }

    /// Returns the number of polls. A thief that sees this number stand still knows that its victim
    /// is in one long poll.
    pub(crate) fn polls(&self) -> u64 {
        self.polls.iter().map(Counter::get).sum()
    }

    /// Returns the numbers of polls by the kind of place where the task was found.
    pub(crate) fn polls_by_kind(&self) -> [u64; TaskSource::MOST] {
        self.polls.each_ref().map(Counter::get)
    }
}
