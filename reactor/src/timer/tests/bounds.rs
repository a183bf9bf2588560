//! Memory, and each hold of the lock, stay bounded for any number of timers.

use super::fire;
use crate::timer::{TimerEntry, TimerQueue};
use std::sync::Arc;

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

/// The most items that one hold of the queue's lock may touch, with any number of timers.
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
fn a_resting_queue_keeps_few_cancelled_timers() {
    let (queue, count) = (TimerQueue::new(), 60);
    let timers: Vec<_> = (0..count).map(|_| TimerEntry::new()).collect();
    for (timer, deadline) in timers.iter().zip(1000..) {
        let _ = queue.arm(timer, deadline);
    }
    timers[0].cancel();
    assert_eq!(queue.len(), count, "so few are kept");
    queue.begin_rest();
    assert_eq!((queue.len(), queue.dead()), (count - 1, 0));
    for timer in timers.iter().skip(1).rev() {
        timer.cancel();
        assert!(queue.dead() <= queue.len() / 2, "{} of {} are", queue.dead(), queue.len());
    }
    assert!(queue.is_empty());
    queue.end_rest();
    let _ = queue.arm(&timers[0], 1000);
    timers[0].cancel();
    assert_eq!(queue.len(), 1, "so few are kept again");
}
