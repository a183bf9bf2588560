//! Counts steals by thief and victim.

use std::collections::BTreeMap;

/// The steals of one processor from one other processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) steals: u64,
    pub(crate) tasks: u64,
}

/// All steals of a trace.
#[derive(Debug, Default)]
pub(crate) struct Steals {
    pairs: BTreeMap<(u32, u32), Moved>,
    total: Moved,
}

impl Steals {
    /// Adds a steal. Returns `false`, and counts nothing, if there can be no such victim.
    #[must_use]
    pub(crate) fn add(&mut self, thief: u32, victim: u64, tasks: u64) -> bool {
        let Ok(victim) = u16::try_from(victim) else { return false };
        for moved in [&mut self.total, self.pairs.entry((thief, victim.into())).or_default()] {
            moved.steals += 1;
            moved.tasks = moved.tasks.saturating_add(tasks);
        }
        true
    }

    pub(crate) fn total(&self) -> Moved {
        self.total
    }

    pub(crate) fn between(&self, thief: u32, victim: u32) -> Moved {
        self.pairs.get(&(thief, victim)).copied().unwrap_or_default()
    }

    /// Returns the thief and the victim between which the most tasks moved.
    pub(crate) fn busiest(&self) -> Option<((u32, u32), Moved)> {
        let most = |(_, moved): &(&(u32, u32), &Moved)| moved.tasks;
        self.pairs.iter().rev().max_by_key(most).map(|(pair, moved)| (*pair, *moved))
    }

    /// Returns the processors that stole or were stolen from, with the most involved ones first.
    pub(crate) fn parties(&self) -> Vec<u32> {
        let mut shares = BTreeMap::<u32, u64>::new();
        for ((thief, victim), moved) in &self.pairs {
            for party in [thief, victim] {
                let share = shares.entry(*party).or_default();
                *share = share.saturating_add(moved.tasks);
            }
        }
        let mut parties: Vec<_> = shares.into_iter().collect();
        parties.sort_by_key(|(party, share)| (u64::MAX - share, *party));
        parties.into_iter().map(|(party, _)| party).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_counted_by_thief_and_victim() {
        let mut steals = Steals::default();
        for (thief, victim, tasks) in [(0, 1, 4), (0, 1, 2), (2, 0, 5)] {
            assert!(steals.add(thief, victim, tasks));
        }
        assert_eq!(steals.total(), Moved { steals: 3, tasks: 11 });
        assert_eq!(steals.between(0, 1), Moved { steals: 2, tasks: 6 });
        assert_eq!(steals.between(1, 0), Moved::default());
        assert_eq!(steals.busiest(), Some(((0, 1), Moved { steals: 2, tasks: 6 })));
        assert_eq!(steals.parties(), [0, 1, 2]);
    }

    #[test]
    fn a_victim_that_cannot_be_is_refused() {
        let mut steals = Steals::default();
        assert!(!steals.add(0, u64::MAX, 1));
        assert_eq!(steals.total(), Moved::default());
    }
}
