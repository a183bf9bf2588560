//! Models of one timer: fired, cancelled, polled, armed anew and abandoned by a shutdown at the
//! same time.

use super::{TimerEntry, TimerQueue};
use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

fn fire(queue: &TimerQueue, now: u64) -> usize {
    let mut wakers = Vec::new();
    let fired = queue.fire_due(now, &mut wakers);
    wakers.into_iter().for_each(Waker::wake);
    fired
}

fn spawn_fire(queue: &Arc<TimerQueue>, now: u64) -> thread::JoinHandle<usize> {
    let queue = Arc::clone(queue);
    thread::spawn(move || fire(&queue, now))
}

fn bounded(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

#[test]
fn firing_reaches_a_poll_at_the_same_time() {
    loom::model(|| {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1);
        let firing = spawn_fire(&queue, 1);
        block_on(poll_fn(|cx| entry.poll_fired(cx)));
        assert_eq!(firing.join().unwrap(), 1);
    });
}

#[test]
fn a_repeated_poll_with_the_same_waker_misses_no_firing() {
    loom::model(|| {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1);
        let firing = spawn_fire(&queue, 1);
        let mut polls = 0;
        block_on(poll_fn(|cx| {
            polls += 1;
            if polls == 1 {
                let _ = entry.poll_fired(cx);
            }
            entry.poll_fired(cx)
        }));
        assert_eq!(firing.join().unwrap(), 1);
    });
}

#[test]
fn a_timer_is_either_fired_or_cancelled() {
    loom::model(|| {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1);
        let _ = entry.poll_fired(&mut Context::from_waker(Waker::noop()));
        let firing = spawn_fire(&queue, 1);
        entry.cancel();
        let fired_by_the_time_of_the_cancel = entry.is_fired();
        let fired = firing.join().unwrap();
        assert_eq!(fired == 1, entry.is_fired());
        assert_eq!(fired == 1, fired_by_the_time_of_the_cancel, "a cancelled timer fires no more");
        assert_eq!(queue.len(), 0);
        assert_eq!(queue.dead(), 0, "every dead item was counted once, in and out");
    });
}

#[test]
fn a_compaction_throws_out_the_dead_and_only_them() {
    bounded(3, || {
        let queue = Arc::new(TimerQueue::new());
        let (cancelled, live) = (TimerEntry::new(), TimerEntry::new());
        let _ = queue.arm(&cancelled, 1);
        let arming = {
            let (queue, live) = (Arc::clone(&queue), std::sync::Arc::clone(&live));
            thread::spawn(move || {
                let _ = queue.arm(&live, 2);
                let _ = queue.arm(&TimerEntry::new(), 3);
            })
        };
        cancelled.cancel();
        arming.join().unwrap();
        assert!(queue.next_deadline() <= 2);
        assert_eq!(fire(&queue, 2), 1);
        assert!(live.is_fired() && !cancelled.is_fired());
        assert_eq!((queue.len(), queue.dead()), (1, 0));
    });
}

#[test]
fn a_timer_rearmed_while_firing_fires_again() {
    bounded(3, || {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1);
        let firing = spawn_fire(&queue, 1);
        let _ = queue.arm(&entry, 2);
        firing.join().unwrap();
        assert!(!entry.is_fired(), "whatever became of the first arming, the second is not due");
        assert_eq!(fire(&queue, 2), 1);
        assert_eq!((queue.len(), queue.dead()), (0, 0));
    });
}

#[test]
fn a_timer_postponed_while_firing_fires_once_and_not_early() {
    bounded(3, || {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1);
        let _ = entry.poll_fired(&mut Context::from_waker(Waker::noop()));
        let putting_off = {
            let (queue, entry) = (Arc::clone(&queue), std::sync::Arc::clone(&entry));
            thread::spawn(move || {
                let _ = queue.arm(&entry, 3);
            })
        };
        let early = fire(&queue, 2);
        putting_off.join().unwrap();
        assert!(!entry.is_fired(), "armed until 3, whether it fired for 1 before that or not ({early})");
        assert_eq!((fire(&queue, 2), queue.settle()), (0, 3));
        assert_eq!(fire(&queue, 3), 1);
        assert_eq!((queue.len(), queue.dead()), (0, 0));
    });
}

/// Arms `entry` anew until 2, after it was cancelled.
fn revive(queue: &TimerQueue, entry: &std::sync::Arc<TimerEntry>) {
    if !entry.revive(2) {
        let _ = queue.arm(entry, 2);
    }
}

#[test]
fn a_timer_revived_beside_its_removal_fires_once() {
    let removals: [fn(&TimerQueue); 3] =
        [|queue| assert_eq!(fire(queue, 1), 0), |queue| drop(queue.settle()), TimerQueue::begin_rest];
    for remove in removals {
        bounded(3, move || {
            let queue = Arc::new(TimerQueue::new());
            let entry = TimerEntry::new();
            let _ = queue.arm(&entry, 1);
            entry.cancel();
            let removing = {
                let queue = Arc::clone(&queue);
                thread::spawn(move || remove(&queue))
            };
            revive(&queue, &entry);
            removing.join().unwrap();
            assert!(!entry.is_fired() && !entry.is_cancelled());
            assert_eq!((fire(&queue, 2), entry.is_fired()), (1, true));
            assert_eq!((queue.len(), queue.dead()), (0, 0));
        });
    }
}

#[test]
fn a_timer_revived_beside_a_search_fires_once() {
    bounded(2, || {
        let queue = Arc::new(TimerQueue::new());
        let (entry, other) = (TimerEntry::new(), TimerEntry::new());
        let _ = (queue.arm(&entry, 1), queue.arm(&other, 1));
        entry.cancel();
        let searching = thread::spawn(move || other.cancel());
        revive(&queue, &entry);
        searching.join().unwrap();
        assert_eq!((fire(&queue, 2), entry.is_fired()), (1, true));
        assert_eq!((queue.len(), queue.dead()), (0, 0));
    });
}

#[test]
fn cancels_that_clean_up_leave_what_is_armed() {
    bounded(2, || {
        let queue = Arc::new(TimerQueue::new());
        let entries = [(); 3].map(|()| TimerEntry::new());
        for entry in &entries {
            let _ = queue.arm(entry, 1);
        }
        let live = TimerEntry::new();
        let arming = {
            let (queue, live) = (Arc::clone(&queue), std::sync::Arc::clone(&live));
            thread::spawn(move || {
                let _ = queue.arm(&live, 2);
            })
        };
        entries.iter().for_each(|entry| entry.cancel());
        arming.join().unwrap();
        assert_eq!(queue.settle(), 2);
        assert_eq!((queue.len(), queue.dead()), (1, 0));
        assert_eq!(fire(&queue, 2), 1);
    });
}

#[test]
fn a_firing_admits_others_and_counts_each_timer_once() {
    bounded(3, || {
        let queue = Arc::new(TimerQueue::new());
        let (first, second) = (TimerEntry::new(), TimerEntry::new());
        let _ = queue.arm(&first, 1);
        let _ = queue.arm(&second, 1);
        let firing = spawn_fire(&queue, 1);
        second.cancel();
        let later = TimerEntry::new();
        let _ = queue.arm(&later, 2);
        let fired = firing.join().unwrap();
        assert!(first.is_fired() && !later.is_fired());
        assert_eq!(fired, 1 + usize::from(second.is_fired()));
        assert_eq!(queue.settle(), 2);
        assert_eq!((queue.len(), queue.dead()), (1, 0));
    });
}

#[test]
fn a_fenced_reader_sees_an_arm_in_the_deadline() {
    use loom::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};
    loom::model(|| {
        let queue = Arc::new(TimerQueue::new());
        let asleep = Arc::new(AtomicBool::new(false));
        let arming = {
            let (queue, asleep) = (Arc::clone(&queue), Arc::clone(&asleep));
            thread::spawn(move || {
                let _ = queue.arm(&TimerEntry::new(), 1);
                fence(SeqCst);
                asleep.load(Relaxed)
            })
        };
        asleep.store(true, Relaxed);
        fence(SeqCst);
        let deadline = queue.next_deadline();
        let saw_the_sleeper = arming.join().unwrap();
        assert!(deadline == 1 || saw_the_sleeper, "one of the two sees the other");
    });
}

fn shut_down(queue: &TimerQueue) {
    let mut wakers = Vec::new();
    queue.shut_down(&mut wakers);
    wakers.into_iter().for_each(Waker::wake);
}

fn spawn_shutdown(queue: &Arc<TimerQueue>) -> thread::JoinHandle<()> {
    let queue = Arc::clone(queue);
    thread::spawn(move || shut_down(&queue))
}

/// Waits as a sleep does: until the timer has fired, or will not. Hangs if it is not woken.
fn wait(entry: &TimerEntry) {
    block_on(poll_fn(|cx| match entry.poll_fired(cx) {
        Poll::Pending if !entry.is_cancelled() => Poll::Pending,
        _ => Poll::Ready(()),
    }));
}

#[test]
fn an_arm_and_a_poll_learn_of_a_shutdown() {
    loom::model(|| {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let shutdown = spawn_shutdown(&queue);
        let _ = queue.arm(&entry, 1);
        wait(&entry);
        shutdown.join().unwrap();
        assert!(entry.is_cancelled() && !entry.is_fired());
        assert_eq!((queue.len(), queue.dead()), (0, 0));
    });
}

#[test]
fn a_timer_revived_beside_a_shutdown_wakes_its_waiter() {
    bounded(3, || {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1);
        entry.cancel();
        let shutdown = spawn_shutdown(&queue);
        revive(&queue, &entry);
        wait(&entry);
        shutdown.join().unwrap();
        assert!(entry.is_cancelled() && !entry.is_fired());
        assert_eq!((queue.len(), queue.dead()), (0, 0));
    });
}

#[test]
fn a_timer_moved_beside_a_shutdown_wakes_its_waiter() {
    for moved in [false, true] {
        bounded(3, move || {
            let (queue, other) = (Arc::new(TimerQueue::new()), TimerQueue::new());
            let entry = TimerEntry::new();
            let _ = if moved { &other } else { &*queue }.arm(&entry, 1);
            let waiting = {
                let entry = std::sync::Arc::clone(&entry);
                thread::spawn(move || wait(&entry))
            };
            let shutdown = spawn_shutdown(&queue);
            let _ = queue.arm(&entry, 2);
            waiting.join().unwrap();
            shutdown.join().unwrap();
            assert!(entry.is_cancelled() && !entry.is_fired());
            assert_eq!((queue.len(), queue.dead()), (0, 0));
        });
    }
}

#[test]
fn a_timer_is_fired_cancelled_or_abandoned_and_counted_once() {
    bounded(3, || {
        let queue = Arc::new(TimerQueue::new());
        let entry = TimerEntry::new();
        let _ = queue.arm(&entry, 1);
        let _ = entry.poll_fired(&mut Context::from_waker(Waker::noop()));
        let firing = spawn_fire(&queue, 1);
        let shutdown = spawn_shutdown(&queue);
        entry.cancel();
        let fired = firing.join().unwrap();
        shutdown.join().unwrap();
        assert_eq!(fired == 1, entry.is_fired());
        assert_eq!((queue.len(), queue.dead()), (0, 0));
    });
}
