//! Timers fire in the order of a sorted list, the oracle.

use super::{fire, poll};
use crate::timer::test_random::Random;
use crate::timer::{TimerEntry, TimerQueue};
use std::sync::Arc;
use std::task::{Wake, Waker};

#[test]
fn equal_deadlines_fire_in_the_order_of_arming() {
    let queue = TimerQueue::new();
    let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let entries: Vec<_> = (0..100).map(|_| TimerEntry::new()).collect();
    for (number, entry) in entries.iter().enumerate() {
        let _ = queue.arm(entry, 10 + (number as u64 % 3));
        let waker = Waker::from(Arc::new(Note { number, order: Arc::clone(&order) }));
        assert!(poll(entry, &waker).is_pending());
    }
    assert_eq!(fire(&queue, 20), 100);
    let mut expected: Vec<usize> = (0..100).collect();
    expected.sort_by_key(|number| number % 3);
    assert_eq!(*order.lock(), expected);
}

#[test]
fn equal_deadlines_keep_their_order_during_a_cleanup() {
    let queue = TimerQueue::new();
    let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let entries: Vec<_> = (0..10_000).map(|_| TimerEntry::new()).collect();
    let dies = |number: usize| number % 5 < 2;
    for (number, entry) in entries.iter().enumerate() {
        let _ = queue.arm(entry, 10 + (number as u64 % 3));
        let waker = Waker::from(Arc::new(Note { number, order: Arc::clone(&order) }));
        assert!(poll(entry, &waker).is_pending());
        if let Some(earlier) = number.checked_sub(1_000).filter(|&earlier| dies(earlier)) {
            entries[earlier].cancel();
        }
    }
    let mut expected: Vec<usize> = (0..10_000).filter(|&number| number >= 9_000 || !dies(number)).collect();
    assert!(queue.len() < entries.len(), "it was cleaned up on the way");
    assert_eq!(fire(&queue, 20), expected.len());
    expected.sort_by_key(|number| number % 3);
    assert_eq!(*order.lock(), expected);
}

/// A waker that writes its number down.
struct Note {
    number: usize,
    order: Arc<parking_lot::Mutex<Vec<usize>>>,
}

impl Wake for Note {
    fn wake(self: Arc<Self>) {
        self.order.lock().push(self.number);
    }
}

/// The oracle: the armed timers, as (deadline, order of arming, number of the entry).
#[derive(Default)]
struct SortedList {
    armed: Vec<(u64, u64, usize)>,
    armings: u64,
}

impl SortedList {
    fn arm(&mut self, number: usize, deadline: u64) {
        self.cancel(number);
        let place = self.armed.partition_point(|&(other, ..)| other <= deadline);
        self.armed.insert(place, (deadline, self.armings, number));
        self.armings += 1;
    }

    fn cancel(&mut self, number: usize) {
        self.armed.retain(|&(_, _, other)| other != number);
    }

    fn fire_due(&mut self, now: u64) -> Vec<(u64, usize)> {
        let due = self.armed.partition_point(|&(deadline, ..)| deadline <= now);
        self.armed.drain(..due).map(|(deadline, _, number)| (deadline, number)).collect()
    }
}

#[test]
fn timers_fire_as_a_sorted_list_says() {
    let revived = (0..100).map(|seed| agrees_with_the_oracle(&mut Random::seeded(seed), 200, 50)).sum::<usize>();
    assert!(revived > 0, "some were cancelled before");
}

#[test]
fn a_crowd_of_timers_fires_as_a_sorted_list_says() {
    for seed in 100..103 {
        agrees_with_the_oracle(&mut Random::seeded(seed), 6_000, 1_000_000);
    }
}

/// Arms `count` timers up to `horizon` ahead, cancels, revives and fires them, in any order. Now
/// and then time leaps to the horizon. Returns how many were revived.
fn agrees_with_the_oracle(random: &mut Random, count: u64, horizon: u64) -> usize {
    let queue = TimerQueue::new();
    let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let entries: Vec<_> = (0..count).map(|_| TimerEntry::new()).collect();
    let mut oracle = SortedList::default();
    let (mut now, mut revived) = (0, 0_usize);
    for _ in 0..15 * 200.max(count / 2) {
        let number = random.below(count) as usize;
        match random.below(10) {
            0..=4 => {
                let deadline = now + random.below(horizon);
                if entries[number].revive(deadline) {
                    revived += 1;
                } else {
                    let _ = queue.arm(&entries[number], deadline);
                }
                oracle.arm(number, deadline);
                let waker = Waker::from(Arc::new(Note { number, order: Arc::clone(&order) }));
                assert!(poll(&entries[number], &waker).is_pending());
            }
            5..=7 => {
                entries[number].cancel();
                oracle.cancel(number);
            }
            _ => {
                let leap = if random.below(1_000) == 0 { horizon } else { 20 };
                now += random.below(leap);
                let mut expected = oracle.fire_due(now);
                assert_eq!(fire(&queue, now), expected.len());
                // Among equal deadlines, any order will do for those that were put off.
                let deadline_of = |number| expected.iter().find(|due| due.1 == number).map(|due| due.0);
                let fired = std::mem::take(&mut *order.lock());
                let mut fired: Vec<_> = fired.into_iter().map(|n| (deadline_of(n).expect("it was due"), n)).collect();
                assert!(fired.is_sorted_by_key(|due| due.0), "{fired:?}");
                fired.sort_unstable();
                expected.sort_unstable();
                assert_eq!(fired, expected);
            }
        }
        let earliest = oracle.armed.first().map_or(u64::MAX, |&(deadline, ..)| deadline);
        assert!(queue.next_deadline() <= earliest, "never later than the truth");
    }
    revived
}
