//! Counters that any thread may read. A counter with a single writer at a time is updated with a
//! plain store: no shared cache line, and no locked cycle.
//!
//! Beside the plain counters: a thief's row of the steal matrix, and the time for which machines
//! have held a processor.

use std::sync::OnceLock;

use wsrt_reactor::Turn;
use wsrt_reactor::timer::Fired;
use wsrt_trace::TaskSource;

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

/// Counters of what `wsrt_hyper::serve` has refused because it had waited for too long.
#[derive(Debug, Default)]
pub(crate) struct ShedCounters {
    pub(crate) requests: SharedCounter,
    pub(crate) connections: SharedCounter,
}

/// Counters of what arrives from outside the runtime's tasks: network events and due timers.
#[derive(Debug, Default)]
pub(crate) struct ArrivalCounters<C> {
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

impl<C: Count> ArrivalCounters<C> {
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
    /// The number of times that the processor left the idle set, for a thread that may be refused.
    pub(crate) chosen: Counter,
    /// The number of those times in which a machine took it up.
    pub(crate) wakes: Counter,
    /// The number of times that the processor returned to the idle set.
    pub(crate) rests: Counter,
    /// The number of times that the processor returned to the idle set without having polled.
    pub(crate) useless_wakes: Counter,
    /// The number of netpolls, including attempts while another thread was in the netpoller.
    pub(crate) netpolls: Counter,
    /// The number of times that the ring was full.
    pub(crate) overflows: Counter,
    /// The number of polls of background tasks, and the time that they took, in nanoseconds.
    pub(crate) background_polls: Counter,
    pub(crate) background_time: Counter,
    pub(crate) arrivals: ArrivalCounters<Counter>,
}

impl Counters {
    /// Creates the counters for one of up to `most` processors, `regular` of which exist from the
    /// start.
    pub(crate) fn new(regular: usize, most: usize) -> Self {
        Self {
            polls: Default::default(),
            steals: Victims::new(regular, most),
            parks: Counter::default(),
            chosen: Counter::default(),
            wakes: Counter::default(),
            rests: Counter::default(),
            useless_wakes: Counter::default(),
            netpolls: Counter::default(),
            overflows: Counter::default(),
            background_polls: Counter::default(),
            background_time: Counter::default(),
            arrivals: ArrivalCounters::default(),
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

    /// Returns a number that changes as each poll begins, and as the processor leaves the idle set:
    /// while the number stays, a poll that is under way is one and the same.
    pub(crate) fn poll_stamp(&self) -> u64 {
        self.polls() + self.chosen.get()
    }

    /// Returns the numbers of polls, by the kind of place where the task was found.
    pub(crate) fn polls_by_kind(&self) -> [u64; TaskSource::MOST] {
        self.polls.each_ref().map(Counter::get)
    }
}

/// The steals of one processor, by victim, written by the holder of the thief.
///
/// A row has 16 bytes for each processor that exists from the start. The entries for spares, of
/// which there may be hundreds, are allocated when the first spare is robbed.
#[derive(Debug)]
pub(crate) struct Victims {
    regular: Box<[Stolen]>,
    spares: OnceLock<Box<[Stolen]>>,
    most: usize,
}

/// The steals from one victim.
#[derive(Debug, Default)]
pub(crate) struct Stolen {
    /// The number of successful steals.
    pub(crate) steals: Counter,
    /// The number of tasks that the steals have moved.
    pub(crate) tasks: Counter,
}

impl Victims {
    pub(crate) fn new(regular: usize, most: usize) -> Self {
        Self { regular: row(regular), spares: OnceLock::new(), most }
    }

    /// Counts a steal of `tasks` tasks from the processor with index `victim`.
    pub(crate) fn count(&self, victim: usize, tasks: usize) {
        let stolen = match self.regular.get(victim) {
            Some(stolen) => stolen,
            None => {
                let spares = self.spares.get_or_init(|| row(self.most - self.regular.len()));
                &spares[victim - self.regular.len()]
            }
        };
        stolen.steals.add(1);
        stolen.tasks.add(tasks as u64);
    }

    /// Returns the steals from each processor, by index. Spares are omitted if no spare was ever a
    /// victim.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Stolen> {
        self.regular.iter().chain(self.spares.get().into_iter().flatten())
    }

    pub(crate) fn steals(&self) -> u64 {
        self.iter().map(|stolen| stolen.steals.get()).sum()
    }

    pub(crate) fn tasks(&self) -> u64 {
        self.iter().map(|stolen| stolen.tasks.get()).sum()
    }
}

fn row(length: usize) -> Box<[Stolen]> {
    (0..length).map(|_| Stolen::default()).collect()
}

/// The flag that is set while a machine holds the processor.
const HELD: u64 = 1 << 63;

/// The total time for which one processor was held, in nanoseconds, readable by any thread.
#[derive(Debug, Default)]
pub(crate) struct BusyTime {
    word: BusyWord,
    /// The largest value returned so far. No later result is smaller, even if the holder read the
    /// clock just before the reader did.
    told: AtomicU64,
}

impl BusyTime {
    /// Starts a hold at the time `now`. Only the holding machine may call this.
    pub(crate) fn begin(&self, now: u64) {
        self.word.begin(now);
    }

    /// Ends the hold at the time `now`. Only the holding machine may call this.
    pub(crate) fn end(&self, now: u64) {
        self.word.end(now);
    }

    /// Returns the sum of all holds, including the part of a running hold up to the time `now`.
    pub(crate) fn read(&self, now: u64) -> u64 {
        let read = self.word.read(now);
        self.told.fetch_max(read, Relaxed).max(read)
    }
}

/// The sum of all holds while the processor is not held. While it is held, the flag `HELD` and the
/// time at which the hold would have begun if it were the only hold, so that one load is enough.
///
/// One writer at a time. Relaxed, because the value is only a statistic.
#[derive(Debug, Default)]
struct BusyWord(AtomicU64);

impl BusyWord {
    fn begin(&self, now: u64) {
        let sum = self.0.load(Relaxed);
        debug_assert!(sum & HELD == 0, "one machine holds a processor at a time");
        self.0.store(now.saturating_sub(sum) | HELD, Relaxed);
    }

    fn end(&self, now: u64) {
        let began = self.0.load(Relaxed);
        debug_assert!(began & HELD != 0, "a hold ends once");
        self.0.store(now.saturating_sub(began & !HELD), Relaxed);
    }

    fn read(&self, now: u64) -> u64 {
        match self.0.load(Relaxed) {
            began if began & HELD != 0 => now.saturating_sub(began & !HELD),
            sum => sum,
        }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn steals_are_counted_by_victim_and_spares_have_room() {
        let victims = Victims::new(2, 5);
        victims.count(1, 7);
        victims.count(1, 1);
        assert_eq!(victims.iter().count(), 2);
        victims.count(4, 3);
        let row: Vec<_> = victims.iter().map(|stolen| (stolen.steals.get(), stolen.tasks.get())).collect();
        assert_eq!(row, [(0, 0), (2, 8), (0, 0), (0, 0), (1, 3)]);
        assert_eq!((victims.steals(), victims.tasks()), (3, 11));
    }

    #[test]
    fn holds_add_up_and_one_under_way_counts_so_far() {
        let time = BusyTime::default();
        assert_eq!(time.read(5), 0);
        time.begin(10);
        assert_eq!(time.read(12), 2);
        time.end(15);
        assert_eq!(time.read(100), 5);
        time.begin(100);
        assert_eq!(time.read(101), 6);
        time.end(110);
        assert_eq!(time.read(1_000), 15);
    }

    #[test]
    fn no_answer_is_less_than_one_before() {
        let time = BusyTime::default();
        time.begin(10);
        assert_eq!(time.read(30), 20);
        time.end(29);
        assert_eq!(time.read(30), 20);
    }
}
