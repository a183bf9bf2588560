//! Wakers and abort handles: when they schedule, and that they keep the cell but not the task.

use super::*;

/// A task that is idle, and a waker of it.
fn idle(home: &Home) -> (JoinHandle<Output>, Waker, Arc<Counts>) {
    let future = Scripted::new(&[Step::Pending, Step::Ready]);
    let (counts, waker) = (Arc::clone(&future.counts), Arc::clone(&future.waker));
    let handle = home.spawn(future);
    home.run();
    let waker = waker.lock().unwrap().take().expect("polled once");
    (handle, waker, counts)
}

#[test]
fn a_wake_of_an_idle_task_schedules_it_once() {
    let home = Home::default();
    let (_handle, waker, counts) = idle(&home);
    waker.wake_by_ref();
    let other = waker.clone();
    waker.wake_by_ref();
    other.wake();
    assert_eq!((home.queued(), home.0.scheduled.load(SeqCst)), (1, 1));
    home.run();
    assert_eq!(counts.polls.load(SeqCst), 2);
}

#[test]
fn a_wake_during_the_poll_queues_the_task_last() {
    let home = Home::default();
    let handle = home.spawn(Scripted::new(&[Step::Pending, Step::Ready]).inside(|waker| {
        let other = waker.clone();
        waker.wake_by_ref();
        other.wake();
    }));
    home.run();
    assert_eq!((home.0.scheduled.load(SeqCst), home.0.rescheduled.load(SeqCst)), (0, 1));
    assert!(handle.is_finished());
}

#[test]
fn a_waker_fired_after_completion_does_nothing() {
    let home = Home::default();
    let (handle, waker, counts) = idle(&home);
    waker.wake_by_ref();
    home.run();
    assert!(handle.is_finished());
    let other = waker.clone();
    waker.wake_by_ref();
    other.wake();
    assert_eq!(home.queued(), 0);
    assert!(result(handle).is_ok(), "and the result is untouched");
    assert_eq!(counts.polls.load(SeqCst), 2);
}

#[test]
fn the_last_waker_left_frees_the_cell() {
    let home = Home::default();
    let (handle, waker, counts) = idle(&home);
    drop(handle);
    home.shut_down();
    assert_eq!(counts.future_drops.load(SeqCst), 1);
    let clone = waker.clone();
    waker.wake_by_ref();
    waker.wake();
    assert_eq!(home.cells(), 1);
    clone.wake();
    assert_eq!(home.cells(), 0, "a wake by value was the last reference");
    assert_eq!(home.queued(), 0);
}

#[test]
fn each_clone_of_a_waker_is_counted() {
    let home = Home::default();
    let (handle, waker, _) = idle(&home);
    drop(handle);
    home.shut_down();
    let mut clones: Vec<_> = (0..100).map(|_| waker.clone()).collect();
    drop(waker);
    while let Some(clone) = clones.pop() {
        assert_eq!(home.cells(), 1);
        drop(clone);
    }
    assert_eq!(home.cells(), 0);
}

#[test]
fn wakers_know_whether_they_wake_the_same_task() {
    let home = Home::default();
    let (_a, waker, _) = idle(&home);
    let (_b, other, _) = idle(&home);
    assert!(waker.will_wake(&waker.clone()));
    assert!(!waker.will_wake(&other));
    home.shut_down();
}

#[test]
fn an_abort_handle_keeps_neither_future_nor_output() {
    let home = Home::default();
    let (handle, waker, counts) = idle(&home);
    let abort = handle.abort_handle();
    drop(waker.clone());
    waker.wake();
    drop(handle);
    home.run();
    assert_eq!(counts.future_drops.load(SeqCst), 1);
    assert_eq!(counts.output_drops.load(SeqCst), 1);
    assert!(abort.is_finished());
    abort.clone().abort();
    assert_eq!((home.queued(), home.cells()), (0, 1));
    drop(abort);
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_dropped_runnable_cancels_its_task() {
    let home = Home::default();
    let future = Scripted::new(&[Step::Ready]);
    let counts = Arc::clone(&future.counts);
    let handle = home.spawn(future);
    drop(home.pop());
    assert!(result(handle).expect_err("not run").is_cancelled());
    assert_eq!((counts.polls.load(SeqCst), counts.future_drops.load(SeqCst)), (0, 1));
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_task_may_drop_its_own_handle_and_abort_itself() {
    let home = Home::default();
    let own: Arc<Mutex<Option<JoinHandle<Output>>>> = Arc::default();
    let future = Scripted::new(&[Step::Pending, Step::Ready]).inside({
        let own = Arc::clone(&own);
        move |_| {
            if let Some(handle) = own.lock().unwrap().take() {
                handle.abort();
            }
        }
    });
    let counts = Arc::clone(&future.counts);
    *own.lock().unwrap() = Some(home.spawn(future));
    home.run();
    assert_eq!((counts.polls.load(SeqCst), counts.future_drops.load(SeqCst)), (1, 1));
    assert_eq!(home.0.rescheduled.load(SeqCst), 0, "the end of the poll is the boundary at which it is cancelled");
    assert_eq!(home.cells(), 0);
}

#[test]
fn the_current_id_is_set_in_polls_and_drops() {
    struct Witness(Arc<Mutex<Vec<Option<Id>>>>);
    impl Drop for Witness {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(current_id());
        }
    }
    let seen: Arc<Mutex<Vec<Option<Id>>>> = Arc::default();
    let home = Home::default();
    let inner_home = Home::default();
    let handle = home.spawn({
        let (held, output, seen) = (Witness(Arc::clone(&seen)), Witness(Arc::clone(&seen)), Arc::clone(&seen));
        let inner_home = inner_home.clone();
        async move {
            let _held = held;
            let inner = inner_home.spawn(async {});
            let inner_id = inner.id();
            inner_home.run();
            assert_ne!(current_id(), Some(inner_id), "the task in the middle of which another ran is current again");
            seen.lock().unwrap().push(current_id());
            output
        }
    });
    let id = Some(handle.id());
    home.run();
    assert_eq!(current_id(), None);
    drop(handle);
    assert_eq!(*seen.lock().unwrap(), [id, id, id], "in the poll, in the future's drop, in the output's drop");
    assert_eq!(current_id(), None);
}
