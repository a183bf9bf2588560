//! A heap with four children per node and the smallest item on top.
//!
//! Four children a node instead of two: half the depth, and the four lie side by side. Sinking an
//! item compares more and misses the cache less, which is the better trade for items that are
//! mostly pushed, cancelled and never popped.

/// The number of children of a node.
const ARITY: usize = 4;

/// Memory is released when less than one part in this many is in use.
const SPARE_SHARE: usize = 4;

#[derive(Debug)]
pub(crate) struct Heap<T> {
    items: Vec<T>,
    /// Items pushed, popped and looked at.
    #[cfg(test)]
    touched: std::cell::Cell<usize>,
}

impl<T: Ord> Heap<T> {
    pub(crate) const fn new() -> Self {
        Self {
            items: Vec::new(),
            #[cfg(test)]
            touched: std::cell::Cell::new(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn peek(&self) -> Option<&T> {
        self.items.first()
    }

    /// Returns all items; each comes behind its parent, and their order is unspecified otherwise.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns all items, and gives up the heap.
    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }

    pub(crate) fn push(&mut self, item: T) {
        self.count_touch();
        self.items.push(item);
        self.rise(self.items.len() - 1);
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.items.is_empty() {
            return None;
        }
        self.count_touch();
        let top = self.items.swap_remove(0);
        self.sink(0);
        Some(top)
    }

    /// Looks at `looks` items at most, from the one before `end` towards the front, and moves those
    /// that are dead to `dead`. Gives memory back when little is left. Returns where it stopped:
    /// the items before that have yet to be looked at.
    ///
    /// Towards the front, since the item that fills a hole comes from the end, where all have been
    /// looked at.
    pub(crate) fn take_dead(
        &mut self,
        end: usize,
        looks: usize,
        is_dead: impl Fn(&T) -> bool,
        dead: &mut Vec<T>,
    ) -> usize {
        let mut end = end.min(self.items.len());
        for _ in 0..looks {
            if end == 0 {
                break;
            }
            self.count_touch();
            if is_dead(&self.items[end - 1]) {
                dead.push(self.remove(end - 1));
                // Unless that was the last, another lies there: the parent, if the item that filled
                // the hole belonged above it.
                end = end.min(self.items.len());
            } else {
                end -= 1;
            }
        }
        if self.items.capacity() / SPARE_SHARE > self.items.len() {
            self.items.shrink_to(self.items.len() * 2);
        }
        end
    }

    fn remove(&mut self, at: usize) -> T {
        let item = self.items.swap_remove(at);
        if at < self.items.len() {
            // At most one of the two moves it: an item that has sunk leaves a child there that
            // belongs below the parent.
            self.sink(at);
            self.rise(at);
        }
        item
    }

    /// Counts the items that are `wanted`, up to `most`. All children of an item that is not wanted
    /// must be unwanted as well.
    pub(crate) fn count_top(&self, most: usize, wanted: impl Fn(&T) -> bool) -> usize {
        self.count_below(0, most, &wanted)
    }

    fn count_below(&self, at: usize, most: usize, wanted: &impl Fn(&T) -> bool) -> usize {
        self.count_touch();
        if most == 0 || !self.items.get(at).is_some_and(wanted) {
            return 0;
        }
        let first = at * ARITY + 1;
        (first..first + ARITY)
            .fold(1, |count, child| count + self.count_below(child, most.saturating_sub(count), wanted))
    }

    fn count_touch(&self) {
        #[cfg(test)]
        self.touched.set(self.touched.get() + 1);
    }

    /// Returns how many were touched since the last call.
    #[cfg(test)]
    pub(crate) fn take_touched(&self) -> usize {
        self.touched.take()
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.items[parent] <= self.items[at] {
                return;
            }
            self.items.swap(parent, at);
            at = parent;
        }
    }

    fn sink(&mut self, mut at: usize) {
        while let Some(child) = self.smallest_child(at) {
            if self.items[at] <= self.items[child] {
                return;
            }
            self.items.swap(at, child);
            at = child;
        }
    }

    fn smallest_child(&self, parent: usize) -> Option<usize> {
        let first = parent * ARITY + 1;
        let end = (first + ARITY).min(self.items.len());
        (first..end).min_by(|&a, &b| self.items[a].cmp(&self.items[b]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timer::test_random::Random;

    fn drain(mut heap: Heap<u64>) -> Vec<u64> {
        std::iter::from_fn(|| heap.pop()).collect()
    }

    #[test]
    fn items_come_out_in_order() {
        let mut random = Random::seeded(1);
        for length in 0..200 {
            let mut heap = Heap::new();
            let mut expected: Vec<u64> = (0..length).map(|_| random.below(50)).collect();
            expected.iter().for_each(|&item| heap.push(item));
            expected.sort_unstable();
            assert_eq!(drain(heap), expected);
        }
    }

    #[test]
    fn the_smallest_are_counted_up_to_a_limit() {
        let mut random = Random::seeded(3);
        for length in 0..200 {
            let mut heap = Heap::new();
            let items: Vec<u64> = (0..length).map(|_| random.below(100)).collect();
            items.iter().for_each(|&item| heap.push(item));
            let (limit, most) = (random.below(110), random.below(30) as usize);
            let below = items.iter().filter(|&&item| item <= limit).count();
            assert_eq!(heap.count_top(most, |&item| item <= limit), below.min(most));
        }
    }

    #[test]
    fn the_order_survives_the_removal_of_any_subset() {
        let mut random = Random::seeded(2);
        for length in 0..200 {
            let mut heap = Heap::new();
            let items: Vec<u64> = (0..length).map(|_| random.below(1000)).collect();
            items.iter().for_each(|&item| heap.push(item));
            let divisor = 1 + random.below(5);
            let mut dead = Vec::new();
            let stopped = heap.take_dead(usize::MAX, usize::MAX, |item| item % divisor == 0, &mut dead);
            assert_eq!(stopped, 0);
            let mut expected: Vec<u64> = items.iter().copied().filter(|item| item % divisor != 0).collect();
            assert_eq!(dead.len() + expected.len(), items.len());
            expected.sort_unstable();
            assert_eq!(drain(heap), expected);
        }
    }

    #[test]
    fn memory_goes_back_when_little_is_left() {
        let mut heap = Heap::new();
        (0..1000).for_each(|item: u64| heap.push(item));
        let (mut dead, before) = (Vec::new(), heap.items.capacity());
        heap.take_dead(usize::MAX, usize::MAX, |item| item % 2 == 0, &mut dead);
        assert_eq!((heap.len(), heap.items.capacity()), (500, before));
        heap.take_dead(usize::MAX, usize::MAX, |item| *item > 100, &mut dead);
        assert_eq!(heap.len(), 50);
        assert!((100..before).contains(&heap.items.capacity()), "{}", heap.items.capacity());
    }

    #[test]
    fn a_removal_in_steps_looks_no_further_and_misses_nothing() {
        let mut random = Random::seeded(4);
        for length in 0..300 {
            let mut heap = Heap::new();
            (0..length).for_each(|_| heap.push(random.below(1000)));
            let divisor = 1 + random.below(5);
            let looks = 1 + random.below(20) as usize;
            let (mut dead, mut end) = (Vec::new(), usize::MAX);
            heap.take_touched();
            while end > 0 {
                let before = dead.len();
                end = heap.take_dead(end, looks, |item| item % divisor == 0, &mut dead);
                assert!(heap.take_touched() <= looks && dead.len() - before <= looks);
                assert!(end == 0 || end <= heap.len());
            }
            let alive = drain(heap);
            assert_eq!(alive.len() + dead.len(), length as usize);
            assert!(alive.is_sorted() && alive.iter().all(|item| item % divisor != 0));
        }
    }
}
