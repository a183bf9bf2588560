//! Measures how long machines have held a processor.

use crate::util::sync::unmodelled::AtomicU64;
use crate::util::sync::unmodelled::Ordering::Relaxed;

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

#[cfg(test)]
mod tests {
    use super::BusyTime;

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
