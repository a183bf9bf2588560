//! A queue that is shut down or dropped wakes the waiters and frees the timers.

use super::{counting, fire, poll};
use crate::timer::{TimerEntry, TimerQueue};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Waker;

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
fn a_queue_that_is_dropped_frees_its_timers() {
    let entry = TimerEntry::new();
    let queue = TimerQueue::new();
    let _ = queue.arm(&entry, 10);
    assert_eq!(Arc::strong_count(&entry), 2);
    drop(queue);
    assert_eq!(Arc::strong_count(&entry), 1);
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
