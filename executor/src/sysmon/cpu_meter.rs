//! How much CPU time a thread has used since the watcher first asked.

use std::time::Duration;

use crate::scheduler::core::watcher_sleep::LOOK;
use crate::util::thread_state::cpu_time;

/// Readings of one thread's clock, to compare later ones with.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BurnMeter {
    first: Option<Reading>,
}

#[derive(Debug, Clone, Copy)]
struct Reading {
    thread: u32,
    cpu_time: u64,
    /// When it was taken, in nanoseconds of the scheduler's clock.
    at: u64,
}

impl BurnMeter {
    /// Nanoseconds of CPU time that `thread` has used since the first reading, which this is if
    /// there was none, or if that was of another thread: a processor may change hands between two
    /// ticks. `None` where the system does not report it.
    pub(crate) fn read(&mut self, thread: u32, now: u64) -> Option<u64> {
        self.compare(thread, now).map(|(burnt, _)| burnt)
    }

    /// Returns whether `thread` had a core for at least half of `time`, which its poll has lasted,
    /// as far as is known: other programs may just have kept the thread from a core.
    pub(crate) fn had_core(&mut self, thread: u32, now: u64, time: Duration) -> bool {
        self.read(thread, now).is_none_or(|burnt| Duration::from_nanos(burnt) >= time / 2)
    }

    /// Returns whether `thread` has had a core for less than half of the time since the first
    /// reading, as far as is known.
    pub(crate) fn lacked_core(&mut self, thread: u32, now: u64) -> bool {
        self.compare(thread, now).is_some_and(|(burnt, since)| burnt < since / 2)
    }

    /// Returns whether `thread` has had next to nothing of a core for a while, as far as is known:
    /// it sleeps, or waits for one. For where the system does not say which of the two.
    pub(crate) fn is_at_rest(&mut self, thread: u32, now: u64) -> bool {
        self.compare(thread, now).is_some_and(|(burnt, since)| since >= three_ticks() && burnt < since / 16)
    }

    /// The CPU time that `thread` has used since the first reading, and how long ago that was.
    fn compare(&mut self, thread: u32, now: u64) -> Option<(u64, u64)> {
        let cpu_time = cpu_time(thread)?;
        match self.first {
            Some(first) if first.thread == thread => {
                Some((cpu_time.saturating_sub(first.cpu_time), now.saturating_sub(first.at)))
            }
            _ => {
                self.first = Some(Reading { thread, cpu_time, at: now });
                Some((0, 0))
            }
        }
    }
}

/// The time in which a thread's clock alone shows whether it sleeps, in nanoseconds.
pub(super) fn three_ticks() -> u64 {
    3 * LOOK.as_nanos() as u64
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::util::thread_state::current_thread_number;

    fn burn(nanos: u64) {
        let own = current_thread_number();
        let before = cpu_time(own).expect("this thread lives");
        while cpu_time(own).expect("this thread lives") < before + nanos {}
    }

    #[test]
    fn a_meter_counts_from_its_first_reading() {
        let (mut meter, own) = (BurnMeter::default(), current_thread_number());
        assert_eq!(meter.read(own, 0), Some(0));
        burn(1_000_000);
        assert!(meter.read(own, 0) >= Some(1_000_000));
    }

    /// The other thread's clock may stand far behind: the watcher once took the one from the other.
    #[test]
    fn a_meter_starts_anew_for_another_thread() {
        burn(5_000_000);
        let mut meter = BurnMeter::default();
        assert_eq!(meter.read(current_thread_number(), 0), Some(0));
        let fresh = std::thread::spawn(move || meter.read(current_thread_number(), 0));
        assert_eq!(fresh.join().expect("it does not panic"), Some(0));
        assert_eq!(meter.read(0, 0), None, "there is no such thread");
    }

    #[test]
    fn a_thread_is_at_rest_after_no_cpu_time() {
        let (mut meter, own) = (BurnMeter::default(), current_thread_number());
        assert!(!meter.is_at_rest(own, 1), "nothing to compare with");
        assert!(!meter.is_at_rest(own, three_ticks()), "too soon");
        assert!(meter.is_at_rest(own, 1_000 * three_ticks()));
        burn(three_ticks());
        assert!(!meter.is_at_rest(own, 1 + three_ticks()));
        assert!(!meter.is_at_rest(0, 1_000 * three_ticks()), "there is no such thread");
    }
}
