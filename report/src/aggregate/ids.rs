//! A set of the tasks seen in a trace, with one bit per task. The bits are kept in pages because
//! task ids are mostly consecutive.

use std::collections::HashMap;

/// The number of bits per page, and the maximum number of pages: 64 MiB, enough for 268 million
/// tasks with consecutive ids.
const PAGE: u64 = 4096;
const MOST_PAGES: usize = 1 << 16;

/// A set of task ids that counts its members.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    pages: HashMap<u64, Box<[u64; (PAGE / 64) as usize]>>,
    count: u64,
    full: bool,
}

impl Ids {
    /// Adds `id` to the set, and returns whether the id is new.
    #[must_use]
    pub(crate) fn insert(&mut self, id: u64) -> bool {
        let (page, bit) = (id / PAGE, id % PAGE);
        if self.pages.len() >= MOST_PAGES && !self.pages.contains_key(&page) {
            self.full = true;
            return false;
        }
        let words = self.pages.entry(page).or_insert_with(|| Box::new([0; (PAGE / 64) as usize]));
        let (word, mask) = (&mut words[(bit / 64) as usize], 1 << (bit % 64));
        let new = *word & mask == 0;
        *word |= mask;
        self.count += u64::from(new);
        new
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether there were too many ids to count.
    pub(crate) fn full(&self) -> bool {
        self.full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_counted_once() {
        let mut ids = Ids::default();
        for id in [0, 1, 63, 64, PAGE - 1, PAGE, u64::MAX] {
            assert!(ids.insert(id), "{id}");
            assert!(!ids.insert(id), "{id}");
        }
        assert_eq!(ids.count(), 7);
    }

    #[test]
    fn scattered_numbers_take_a_bounded_room() {
        let mut ids = Ids::default();
        let new = (0..2 * MOST_PAGES as u64).filter(|number| ids.insert(number * PAGE)).count();
        assert_eq!(new, MOST_PAGES);
        assert!(ids.full());
    }
}
