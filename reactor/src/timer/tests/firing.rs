//! Timers fire at their deadlines, never early, and wake the last waker.

use super::{counting, fire, poll};
use crate::timer::{Fired, TimerEntry, TimerQueue};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Context;

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
    assert_eq!(queue.fire_some_due(300, usize::MAX, &mut wakers), Fired::default());
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
fn a_revived_timer_keeps_its_item_for_a_new_task() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    let ((former, former_waker), (latter, latter_waker)) = (counting(), counting());
    let _ = queue.arm(&entry, 10);
    assert!(!entry.revive(20), "it is armed");
    assert!(poll(&entry, &former_waker).is_pending());
    entry.cancel();
    assert!(!entry.revive(9), "its item comes up too late");
    assert!(entry.revive(20));
    assert_eq!((queue.len(), queue.dead()), (1, 0));
    assert!(poll(&entry, &latter_waker).is_pending());
    assert_eq!(fire(&queue, 19), 0);
    assert_eq!(fire(&queue, 20), 1);
    assert_eq!((former.0.load(Ordering::Relaxed), latter.0.load(Ordering::Relaxed)), (0, 1));
    assert!(!entry.revive(30), "it has fired");
}

#[test]
fn a_timer_whose_item_is_gone_is_not_revived() {
    type Removal = fn(&TimerQueue);
    let removals: [(&str, Removal); 4] = [
        ("come up", |queue| assert_eq!(fire(queue, 10), 0)),
        ("settled", |queue| assert_eq!(queue.settle(), u64::MAX)),
        ("rested", TimerQueue::begin_rest),
        ("shut down", |queue| queue.shut_down(&mut Vec::new())),
    ];
    for (what, remove) in removals {
        let queue = TimerQueue::new();
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 10);
        entry.cancel();
        remove(&queue);
        assert!(!entry.revive(20), "{what}");
        assert_eq!((queue.len(), queue.dead()), (0, 0), "{what}");
    }
}

#[test]
fn a_queue_that_rests_takes_no_timer_back() {
    let queue = TimerQueue::new();
    let (entry, other) = (TimerEntry::new(), TimerEntry::new());
    let _ = (queue.arm(&entry, 10), queue.arm(&other, 10));
    queue.begin_rest();
    entry.cancel();
    assert!(!entry.revive(20));
    queue.end_rest();
    assert!(entry.revive(20), "its item is there still");
    assert_eq!((fire(&queue, 20), queue.dead()), (2, 0));
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
fn a_timer_can_move_to_another_queue() {
    let (first, second) = (TimerQueue::new(), TimerQueue::new());
    let entry = TimerEntry::new();
    let _ = first.arm(&entry, 10);
    let _ = second.arm(&entry, 10);
    assert_eq!(fire(&first, 10), 0);
    assert_eq!(fire(&second, 10), 1);
}

#[test]
fn a_postponed_timer_keeps_its_place_in_the_queue() {
    let queue = TimerQueue::new();
    let entry = TimerEntry::new();
    let (count, waker) = counting();
    assert!(queue.arm(&entry, 10));
    assert!(poll(&entry, &waker).is_pending());
    for deadline in 11..1_000 {
        assert!(!queue.arm(&entry, deadline), "no sleeper has to wake");
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

#[test]
fn those_due_by_a_deadline_are_counted() {
    let queue = TimerQueue::new();
    assert_eq!(queue.count_until(99, 9), 0);
    let entries: Vec<_> = [20, 10, 30, 20].map(|deadline| (TimerEntry::new(), deadline)).into();
    entries.iter().for_each(|(entry, deadline)| _ = queue.arm(entry, *deadline));
    let counts = [9, 10, 19, 20, 30, 99].map(|deadline| queue.count_until(deadline, 9));
    assert_eq!(counts, [0, 1, 1, 3, 4, 4]);
    assert_eq!((queue.count_until(20, 2), queue.count_until(20, 0)), (2, 0));
}
