//! Spin time: how long a thread spins before it sleeps, where the answer may come within a moment.
//!
//! Two threads that send each other requests and replies, and sleep between them, wait for the
//! system alone: to wake a thread takes longer than most replies do. So both spin first. To spin
//! costs a core, though, that others could use: a wait that is longer than expected is followed by
//! ever more that do not spin.

use std::time::Duration;

use crate::util::sync;

/// The time for which one thread spins, by its waits so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SpinTime {
    /// The waits to come that do not spin.
    skips: u32,
    /// How many were skipped after the last that spun in vain.
    penalty: u32,
    /// The waits in a row that were answered, but late.
    late: u32,
}

impl SpinTime {
    /// An answer that comes within this time comes sooner than a thread that sleeps is woken, and
    /// to spin for it costs no more.
    pub(crate) const SOON: Duration = Duration::from_micros(20);
    /// The longest spin: an answer of a thread that has to be woken for it comes within this time.
    /// Then that one may be spinning the next time.
    pub(crate) const LONGEST: Duration = Duration::from_micros(50);
    /// So many late answers in a row are as good as none.
    const LATE_IN_A_ROW: u32 = 4;
    /// One wait in 128 spins, where all are long: the two threads have to try it at one time.
    const MOST_SKIPS: u32 = 127;

    /// Spins until `has_come`, for a moment at most, and not if that is unlikely to help. Returns
    /// whether it has.
    pub(crate) fn spin(&mut self, mut has_come: impl FnMut() -> bool) -> bool {
        if self.skips > 0 {
            self.skips -= 1;
            return false;
        }
        let start = sync::now();
        let spun = || sync::now().saturating_duration_since(start);
        loop {
            for _ in 0..4 {
                if has_come() {
                    self.note_answer(spun());
                    return true;
                }
                sync::spin();
            }
            if spun() >= Self::LONGEST {
                self.note_none();
                return false;
            }
        }
    }

    fn note_answer(&mut self, after: Duration) {
        if after <= Self::SOON {
            *self = Self::default();
            return;
        }
        self.late += 1;
        if self.late == Self::LATE_IN_A_ROW {
            self.note_none();
        }
    }

    fn note_none(&mut self) {
        self.penalty = (self.penalty * 2 + 1).min(Self::MOST_SKIPS);
        self.skips = self.penalty;
        self.late = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits `times` for an answer that comes `after` the wait has begun, and returns how many of
    /// the waits spun.
    fn waits(spin_time: &mut SpinTime, times: usize, after: Duration) -> usize {
        let spun = |spin_time: &mut SpinTime| {
            let is_to_spin = spin_time.skips == 0;
            if !is_to_spin {
                spin_time.skips -= 1;
            } else if after <= SpinTime::LONGEST {
                spin_time.note_answer(after);
            } else {
                spin_time.note_none();
            }
            is_to_spin
        };
        (0..times).filter(|_| spun(spin_time)).count()
    }

    #[test]
    fn answers_that_come_soon_are_always_waited_for() {
        let mut spin_time = SpinTime::default();
        assert_eq!(waits(&mut spin_time, 10_000, SpinTime::SOON), 10_000);
    }

    #[test]
    fn waits_that_are_long_spin_ever_more_seldom() {
        let mut spin_time = SpinTime::default();
        assert!(waits(&mut spin_time, 128, Duration::from_millis(1)) <= 7);
        assert!(waits(&mut spin_time, 128_000, Duration::from_millis(1)) <= 1_001);
        assert!(waits(&mut spin_time, 128, SpinTime::SOON) > 0, "it tries again");
        assert_eq!(waits(&mut spin_time, 100, SpinTime::SOON), 100, "and has learnt");
    }

    #[test]
    fn late_answers_are_waited_for_a_few_times() {
        let mut spin_time = SpinTime::default();
        assert_eq!(waits(&mut spin_time, 4, SpinTime::LONGEST), 4);
        assert!(waits(&mut spin_time, 1_280, SpinTime::LONGEST) <= 64);
    }

    #[test]
    fn a_spin_ends_with_the_answer_or_after_a_moment() {
        let mut spin_time = SpinTime::default();
        let mut looks = 0;
        assert!(spin_time.spin(|| {
            looks += 1;
            looks == 3
        }));
        assert!(!spin_time.spin(|| false));
        assert!(!spin_time.spin(|| panic!("it does not spin again at once")));
    }
}
