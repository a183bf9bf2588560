//! Keeps the longest few of many items.

/// The `most` longest items of all that were offered, in descending order of length. Of equally
/// long items, the earlier one is kept.
#[derive(Clone, Debug)]
pub(crate) struct Longest<T> {
    most: usize,
    items: Vec<(u64, T)>,
    met: u64,
}

impl<T> Longest<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, items: Vec::with_capacity(most + 1), met: 0 }
    }

    pub(crate) fn offer(&mut self, length: u64, item: T) {
        self.met += 1;
        let place = self.items.partition_point(|(other, _)| *other >= length);
        if place < self.most {
            self.items.insert(place, (length, item));
            self.items.truncate(self.most);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|(_, item)| item)
    }

    /// Returns how many items were offered in total.
    pub(crate) fn met(&self) -> u64 {
        self.met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_kept_and_the_earlier_of_equals() {
        let mut longest = Longest::new(3);
        for (length, item) in [(5, "a"), (9, "b"), (5, "c"), (1, "d"), (9, "e"), (7, "f")] {
            longest.offer(length, item);
        }
        assert_eq!(longest.iter().copied().collect::<String>(), "bef");
        assert_eq!(longest.met(), 6);
    }
}
