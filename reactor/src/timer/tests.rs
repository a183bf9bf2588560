//! What timers promise, on one thread, against a list kept sorted.

use super::test_random::Random;
use super::{TimerEntry, TimerQueue};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn counting() -> (Arc<Count>, Waker) {
    let count = Arc::new(Count::default());
    (Arc::clone(&count), Waker::from(count))
}

fn poll(entry: &TimerEntry, waker: &Waker) -> Poll<()> {
    entry.poll_fired(&mut Context::from_waker(waker))
}

fn fire(queue: &TimerQueue, now: u64) -> usize {
    let mut wakers = Vec::new();
    let fired = queue.fire_due(now, &mut wakers);
    wakers.into_iter().for_each(Waker::wake);
    fired
}

#[test]
fn a_timer_never_fires_early() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    assert!(queue.arm(&entry, 100));
    assert_eq!(fire(&queue, 99), 0);
    assert!(!entry.is_fired());
    assert_eq!(fire(&queue, 100), 1);
    assert!(entry.is_fired());
    assert_eq!(queue.next_deadline(), u64::MAX);
}

#[test]
fn a_firing_reports_how_late_its_timers_were() {
    let queue = TimerQueue::new();
    let entries: Vec<_> = (0..4).map(|_| TimerEntry::new()).collect();
    for (entry, deadline) in entries.iter().zip([100, 130, 160, 500]) {
        let _ = queue.arm(entry, deadline);
    }
    // Put off: its lateness counts from the later deadline.
    let _ = queue.arm(&entries[0], 150);
    let mut wakers = Vec::new();
    let first = queue.fire_some_due(200, 1, &mut wakers);
    assert_eq!((first.count, first.late, first.latest), (1, 70, 70));
    let rest = queue.fire_some_due(200, usize::MAX, &mut wakers);
    assert_eq!((rest.count, rest.late, rest.latest), (2, 90, 50));
    assert_eq!(queue.fire_some_due(300, usize::MAX, &mut wakers), super::Fired::default());
}

#[test]
fn a_timer_never_due_does_not_fire_at_the_end() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    assert!(!queue.arm(&entry, u64::MAX));
    assert_eq!(queue.next_deadline(), u64::MAX);
    assert_eq!(fire(&queue, u64::MAX), 0);
    entry.cancel();
    assert_eq!(queue.len(), 0);
}

#[test]
fn only_the_earliest_requires_waking_sleepers() {
    let queue = TimerQueue::new();
    let entries: Vec<_> = (0..3).map(|_| TimerEntry::new()).collect();
    assert!(queue.arm(&entries[0], 50));
    assert!(!queue.arm(&entries[1], 50), "an equal deadline is no earlier");
    assert!(queue.arm(&entries[2], 49));
    assert_eq!(queue.next_deadline(), 49);
}

#[test]
fn the_last_waker_is_woken_once_and_only_it() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    let ((first, first_waker), (last, last_waker)) = (counting(), counting());
    let _ = queue.arm(&entry, 1);
    assert!(poll(&entry, &first_waker).is_pending());
    assert!(poll(&entry, &last_waker).is_pending());
    assert!(poll(&entry, &last_waker).is_pending());
    assert_eq!(fire(&queue, 1), 1);
    assert_eq!(fire(&queue, 1), 0);
    assert_eq!((first.0.load(Ordering::Relaxed), last.0.load(Ordering::Relaxed)), (0, 1));
    assert!(poll(&entry, &last_waker).is_ready());
}

#[test]
fn a_cancelled_timer_neither_fires_nor_keeps_its_waker() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    let (count, waker) = counting();
    let _ = queue.arm(&entry, 10);
    assert!(poll(&entry, &waker).is_pending());
    drop(waker);
    entry.cancel();
    assert_eq!(Arc::strong_count(&count), 1, "the entry let go of the waker");
    assert_eq!(fire(&queue, 10), 0);
    assert_eq!((queue.len(), queue.dead()), (0, 0), "the dead item is thrown out when it is due");
    assert!(!entry.is_fired());
}

#[test]
fn cancelling_what_has_fired_does_nothing() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    let _ = queue.arm(&entry, 1);
    assert_eq!(fire(&queue, 1), 1);
    entry.cancel();
    assert!(entry.is_fired());
}

#[test]
fn a_timer_can_be_rearmed_later_earlier_and_after_firing() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    let _ = queue.arm(&entry, 10);
    let _ = queue.arm(&entry, 20);
    assert_eq!(fire(&queue, 10), 0, "the first deadline was replaced");
    let _ = queue.arm(&entry, 15);
    assert_eq!(fire(&queue, 15), 1);
    assert!(entry.is_fired());
    let _ = queue.arm(&entry, 30);
    assert!(!entry.is_fired(), "armed again, it has yet to fire");
    assert_eq!(fire(&queue, 20), 0);
    assert_eq!(fire(&queue, 30), 1);
    assert_eq!(queue.len(), 0);
}

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

#[test]
fn a_timer_can_move_to_another_queue() {
    let (first, second) = (TimerQueue::new(), TimerQueue::new());
    let entry = TimerEntry::new();
    let _ = first.arm(&entry, 10);
    let _ = second.arm(&entry, 10);
    assert_eq!(fire(&first, 10), 0);
    assert_eq!(fire(&second, 10), 1);
}

#[test]
fn a_queue_may_be_dropped_before_its_timers() {
    let entry = TimerEntry::new();
    let queue = TimerQueue::new();
    let _ = queue.arm(&entry, 10);
    drop(queue);
    entry.cancel();
    assert!(!entry.is_fired());
}

#[test]
fn a_million_cancelled_timers_leave_a_bounded_queue() {
    const LIVE: usize = 1000;
    let queue = TimerQueue::new();
    let live: Vec<_> = (0..LIVE).map(|_| TimerEntry::new()).collect();
    for entry in &live {
        let _ = queue.arm(entry, 1);
    }
    for deadline in 0..1_000_000 {
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1_000_000_000 + deadline);
        entry.cancel();
        assert!(queue.len() <= LIVE + LIVE / 3 + 3, "{} timers held", queue.len());
    }
    assert_eq!(fire(&queue, 1), LIVE);
}

#[test]
fn a_million_rearms_of_one_timer_leave_a_bounded_queue() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    for deadline in 0..1_000_000 {
        let _ = queue.arm(&entry, 1_000_000_000 + deadline);
        assert!(queue.len() <= 65, "{} timers held", queue.len());
    }
    assert_eq!(fire(&queue, u64::MAX), 1);
}

#[test]
fn a_million_cancelled_timers_give_their_memory_back() {
    let queue = TimerQueue::new();
    let entries: Vec<_> = (0..1_000_000).map(|_| TimerEntry::new()).collect();
    for (deadline, entry) in (1_000..).zip(&entries) {
        let _ = queue.arm(entry, deadline);
    }
    assert_eq!(queue.len(), entries.len());
    for entry in &entries {
        entry.cancel();
    }
    assert!(queue.len() <= 130, "{} timers held", queue.len());
    assert_eq!(queue.settle(), u64::MAX);
    assert_eq!((queue.len(), queue.dead()), (0, 0));
}

#[test]
fn a_postponed_timer_keeps_its_place_in_the_queue() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    let (count, waker) = counting();
    assert!(queue.arm(&entry, 10));
    assert!(poll(&entry, &waker).is_pending());
    for deadline in 11..1_000 {
        assert!(!queue.arm(&entry, deadline), "nobody has to be told");
    }
    assert_eq!((queue.len(), queue.dead()), (1, 0));
    assert_eq!(queue.next_deadline(), 10);
    assert_eq!(fire(&queue, 998), 0, "not before the last deadline");
    assert_eq!(queue.next_deadline(), 999, "moved on when its first came");
    // Back to a moment between the two, and to one before both.
    assert!(queue.arm(&entry, 2_000) || queue.next_deadline() == 999);
    assert!(!queue.arm(&entry, 1_500));
    assert!(queue.arm(&entry, 500));
    assert_eq!(fire(&queue, 500), 1);
    assert_eq!(fire(&queue, u64::MAX - 1), 0);
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert_eq!((queue.len(), queue.dead()), (0, 0));
}

#[test]
fn settling_passes_over_what_will_not_fire() {
    let queue = TimerQueue::new();
    let [cancelled, put_off, kept] = [(); 3].map(|()| TimerEntry::new());
    let _ = queue.arm(&cancelled, 10);
    let _ = queue.arm(&put_off, 20);
    let _ = queue.arm(&kept, 30);
    cancelled.cancel();
    let _ = queue.arm(&put_off, 40);
    assert_eq!((queue.next_deadline(), queue.settle()), (10, 30));
    assert_eq!((queue.next_deadline(), queue.len(), queue.dead()), (30, 2, 0));
    assert_eq!(fire(&queue, 30), 1);
    assert_eq!(queue.settle(), 40);
    assert_eq!(fire(&queue, 40), 1);
}

#[test]
fn a_queue_that_is_dropped_frees_its_timers() {
    let entry = TimerEntry::new();
    let queue = TimerQueue::new();
    let _ = queue.arm(&entry, 10);
    assert_eq!(Arc::strong_count(&entry), 2);
    drop(queue);
    assert_eq!(Arc::strong_count(&entry), 1);
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

/// The oracle: what is armed, as (deadline, order of arming, number of the entry).
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
    for seed in 0..100 {
        agrees_with_the_oracle(&mut Random::seeded(seed), 200, 50);
    }
}

#[test]
fn a_crowd_of_timers_fires_as_a_sorted_list_says() {
    for seed in 100..103 {
        agrees_with_the_oracle(&mut Random::seeded(seed), 6_000, 1_000_000);
    }
}

/// Arms `count` timers up to `horizon` ahead, cancels and fires them, in any order. Now and then
/// time leaps to the horizon.
fn agrees_with_the_oracle(random: &mut Random, count: u64, horizon: u64) {
    let queue = TimerQueue::new();
    let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let entries: Vec<_> = (0..count).map(|_| TimerEntry::new()).collect();
    let mut oracle = SortedList::default();
    let mut now = 0;
    for _ in 0..15 * 200.max(count / 2) {
        let number = random.below(count) as usize;
        match random.below(10) {
            0..=4 => {
                let deadline = now + random.below(horizon);
                let _ = queue.arm(&entries[number], deadline);
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
}

#[test]
fn a_walk_shows_each_awaited_timer_with_its_deadline() {
    let queue = TimerQueue::new();
    let (_, own) = counting();
    let mut cx = Context::from_waker(&own);
    let entries: Vec<_> = (0..200).map(|_| TimerEntry::new()).collect();
    for (index, entry) in entries.iter().enumerate() {
        let _ = queue.arm(entry, 1_000 + index as u64);
        if index % 2 == 0 {
            assert!(entry.poll_fired(&mut cx).is_pending());
        }
        if index % 10 == 0 {
            entry.cancel();
        }
        if index % 10 == 2 {
            // Put off: its item keeps the place of the deadline before.
            let _ = queue.arm(entry, 10_000 + index as u64);
        }
    }
    let mut seen = Vec::new();
    queue.for_each_waiter(|deadline, waker| {
        // By their data: the table of a waker may lie at several addresses, and `will_wake`
        // compares those too.
        assert_eq!(waker.data(), own.data());
        seen.push(deadline);
    });
    seen.sort_unstable();
    let waited_for = (0..200).filter(|index| index % 2 == 0 && index % 10 != 0);
    let mut expected: Vec<u64> = waited_for.map(|index| index + if index % 10 == 2 { 10_000 } else { 1_000 }).collect();
    expected.sort_unstable();
    assert_eq!(seen, expected);
}

/// What a hold of the queue's lock may touch, however many timers there are.
const LONGEST_HOLD: usize = 4096;
const CROWD: u64 = 100_000;

fn armed_crowd(queue: &TimerQueue, deadline_of: impl Fn(u64) -> u64) -> Vec<Arc<TimerEntry>> {
    let entries: Vec<_> = (0..CROWD).map(|_| TimerEntry::new()).collect();
    for (index, entry) in (0..).zip(&entries) {
        let _ = queue.arm(entry, deadline_of(index));
    }
    entries
}

#[test]
fn a_crowd_due_at_once_fires_in_short_holds() {
    let queue = TimerQueue::new();
    let entries = armed_crowd(&queue, |index| 1 + index % 7);
    // A part is put off, some of it to a time that has come as well; a part is cancelled.
    for (index, entry) in (0..).zip(&entries) {
        match index % 5 {
            0 => drop(queue.arm(entry, 50 + index % 2 * 1_000)),
            1 => entry.cancel(),
            _ => {}
        }
    }
    let due = CROWD as usize - CROWD as usize / 5 - CROWD as usize / 10;
    assert_eq!(fire(&queue, 100), due);
    assert_eq!((queue.len(), queue.dead()), (CROWD as usize / 10, 0));
    let longest = queue.longest_hold();
    assert!(longest <= LONGEST_HOLD, "one hold touched {longest} items");
}

#[test]
fn a_crowd_of_cancelled_timers_leaves_in_short_holds() {
    let queue = TimerQueue::new();
    // Dead and live all over the heap; enough of the dead that the arms behind clean up, then so
    // many that the cancels do.
    let entries = armed_crowd(&queue, |index| 1 + index * 7_919 % CROWD);
    entries.iter().step_by(3).for_each(|entry| entry.cancel());
    let later: Vec<_> = (0..CROWD / 10).map(|_| TimerEntry::new()).collect();
    for entry in &later {
        let _ = queue.arm(entry, 2 * CROWD);
    }
    assert!(queue.dead() <= queue.len() / 4 + 1, "{} dead of {}", queue.dead(), queue.len());
    entries.iter().for_each(|entry| entry.cancel());
    assert!(queue.dead() <= queue.len() / 2 + 65, "{} dead of {}", queue.dead(), queue.len());
    let longest = queue.longest_hold();
    assert!(longest <= LONGEST_HOLD, "one hold touched {longest} items");
    assert_eq!(fire(&queue, 2 * CROWD), later.len());
}

#[test]
fn settling_passes_over_a_cancelled_crowd_in_short_holds() {
    let queue = TimerQueue::new();
    let entries = armed_crowd(&queue, |index| 1 + index);
    let _last = armed_crowd(&queue, |_| 2 * CROWD);
    // Less than half of them: no cancel cleans up.
    entries.iter().for_each(|entry| entry.cancel());
    assert_eq!(queue.settle(), 2 * CROWD);
    assert_eq!(queue.dead(), 0);
    let longest = queue.longest_hold();
    assert!(longest <= LONGEST_HOLD, "one hold touched {longest} items");
}

#[test]
fn a_shutdown_wakes_each_waiter_and_fires_none() {
    let queue = TimerQueue::new();
    let (count, waker) = counting();
    let (waited_for, put_off, cancelled) = (TimerEntry::new(), TimerEntry::new(), TimerEntry::new());
    for entry in [&waited_for, &put_off, &cancelled] {
        let _ = queue.arm(entry, 100);
        assert!(poll(entry, &waker).is_pending());
    }
    let _ = queue.arm(&put_off, 200);
    cancelled.cancel();
    let mut wakers = Vec::new();
    queue.shut_down(&mut wakers);
    wakers.into_iter().for_each(Waker::wake);
    assert_eq!(count.0.load(Ordering::Relaxed), 2);
    for entry in [&waited_for, &put_off] {
        assert!(entry.is_cancelled() && !entry.is_fired() && poll(entry, &waker).is_pending());
    }
    assert_eq!((fire(&queue, 1_000), queue.len(), queue.dead(), queue.next_deadline()), (0, 0, 0, u64::MAX));
    queue.shut_down(&mut Vec::new());
}

#[test]
fn a_timer_armed_after_the_shutdown_is_cancelled() {
    let (open, closed) = (TimerQueue::new(), TimerQueue::new());
    closed.shut_down(&mut Vec::new());
    let (count, waker) = counting();
    let entry = TimerEntry::new();
    let _ = open.arm(&entry, 100);
    assert!(poll(&entry, &waker).is_pending());
    assert!(!closed.arm(&entry, 50), "it is the earliest of none");
    assert!(entry.is_cancelled());
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert_eq!((closed.len(), closed.dead(), open.dead()), (0, 0, 1));
    // It may be armed again where timers fire.
    let _ = open.arm(&entry, 200);
    assert!(!entry.is_cancelled());
    assert_eq!((fire(&open, 200), open.dead()), (1, 0));
}

#[test]
fn a_queue_that_is_dropped_wakes_its_waiters() {
    let (count, waker) = counting();
    let entry = TimerEntry::new();
    let queue = TimerQueue::new();
    let _ = queue.arm(&entry, 100);
    assert!(poll(&entry, &waker).is_pending());
    drop(queue);
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert!(entry.is_cancelled());
}

#[test]
fn a_timer_that_is_taken_back_gives_its_waiter() {
    let queue = TimerQueue::new();
    let (count, waker) = counting();
    let entry = TimerEntry::new();
    let _ = queue.arm(&entry, 100);
    assert!(entry.take_back().is_none(), "no task has waited");
    let _ = queue.arm(&entry, 100);
    assert!(poll(&entry, &waker).is_pending());
    entry.take_back().expect("it is waited for").wake();
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert!(entry.take_back().is_none() && entry.is_cancelled());
    assert_eq!(fire(&queue, 100), 0);
}
