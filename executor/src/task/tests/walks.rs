//! Walks over a registry: the shown parts of a task, and its counts.

use super::*;
use std::time::Duration;

fn snapshots(home: &Home) -> Vec<TaskSnapshot> {
    let mut seen = Vec::new();
    home.0.owned.walk(|snapshot| seen.push(snapshot));
    seen
}

fn only(home: &Home) -> TaskSnapshot {
    let mut seen = snapshots(home);
    assert_eq!(seen.len(), 1);
    seen.remove(0)
}

#[test]
fn a_task_is_shown_in_each_phase_until_complete() {
    let home = Home::default();
    let seen = Arc::<Mutex<Option<Phase>>>::default();
    let future = Scripted::new(&[Step::Pending, Step::Ready]).inside({
        let (home, seen) = (home.clone(), Arc::clone(&seen));
        move |_| *seen.lock().unwrap() = Some(only(&home).phase)
    });
    let waker = Arc::clone(&future.waker);
    let handle = home.spawn(future);
    assert_eq!(only(&home).phase, Phase::Scheduled);
    home.run();
    assert_eq!(*seen.lock().unwrap(), Some(Phase::Running));
    assert_eq!(only(&home).phase, Phase::Idle);
    waker.lock().unwrap().take().expect("polled").wake();
    assert_eq!(only(&home).phase, Phase::Scheduled);
    home.run();
    assert!(snapshots(&home).is_empty());
    assert!(result(handle).is_ok());
}

#[test]
fn a_walk_shows_whose_waker_waits_for_a_task() {
    let home = Home::default();
    let awaited = home.spawn(Scripted::new(&[Step::Pending]));
    let id = awaited.id();
    let joiner = home.spawn(awaited);
    home.run();
    let seen = snapshots(&home);
    let of = |id| seen.iter().find(|snapshot| snapshot.id == id).expect("it is live");
    assert_eq!(of(id).joiner, Some(of(joiner.id()).address));
    assert_eq!(of(joiner.id()).joiner, None);
    home.shut_down();
}

#[test]
fn a_waker_names_its_task_and_a_foreign_one_none() {
    let home = Home::default();
    let future = Scripted::new(&[Step::Pending]);
    let waker = Arc::clone(&future.waker);
    let handle = home.spawn(future);
    home.run();
    assert_eq!(waker.lock().unwrap().as_ref().and_then(task_woken_by), Some(handle.id()));
    assert_eq!(task_woken_by(&Waker::from(Arc::<Bell>::default())), None);
    assert_eq!(task_woken_by(Waker::noop()), None);
    home.shut_down();
}

/// A task with counts, its first runnable, and a name if it is to have one.
fn with_counts(home: &Home, future: Scripted, name: Option<&str>) -> (Runnable, JoinHandle<Output>) {
    let origin = Origin { spawned_at: Location::caller(), name };
    let identity = Identity::new(Id::next(), origin).with_counts();
    // SAFETY: the future and its output are Send.
    let (task, runnable, handle) = unsafe { allocate(future, home.clone(), identity) };
    home.0.owned.bind(0, task).expect("open");
    (runnable, handle)
}

#[test]
fn task_stats_count_and_time_polls_and_wakes() {
    let home = Home::default();
    let nap = Duration::from_millis(2);
    let future = Scripted::new(&[Step::Pending]).inside(move |_| std::thread::sleep(nap));
    let waker = Arc::clone(&future.waker);
    let (first, _handle) = with_counts(&home, future, Some("booked"));
    let counts = || only(&home).counts.expect("they are kept");
    first.count_wake();
    assert_eq!((counts().polls, counts().in_poll, counts().since_wake), (0, None, None), "a spawn is no wake");
    first.run_counted();
    let after_one = counts();
    assert_eq!((after_one.polls, after_one.in_poll), (1, None));
    assert!(after_one.longest >= nap && after_one.total == after_one.longest && after_one.age >= nap);
    waker.lock().unwrap().take().expect("polled").wake();
    let second = home.pop().expect("woken");
    second.count_wake();
    assert!(counts().since_wake.is_some());
    second.run_counted();
    let after_two = counts();
    assert_eq!(after_two.polls, 2);
    assert!(after_two.total >= 2 * nap && after_two.longest < after_two.total);
    assert_eq!(only(&home).name.as_deref(), Some("booked"));
    home.shut_down();
}

#[test]
fn a_late_poll_end_leaves_the_next_polls_record() {
    let home = Home::default();
    let nap = Duration::from_millis(2);
    let future = Scripted::new(&[Step::Pending, Step::Pending]).inside(move |_| std::thread::sleep(nap));
    let waker = Arc::clone(&future.waker);
    let (first, _handle) = with_counts(&home, future, None);
    let counts = || only(&home).counts.expect("they are kept");
    let ends_late = first.begin_counted().expect("there are counts");
    first.run();
    waker.lock().unwrap().take().expect("polled").wake();
    let second = home.pop().expect("woken");
    let next = second.begin_counted().expect("there are counts");
    drop(ends_late);
    assert!(counts().in_poll.is_some(), "the second poll is under way");
    second.run();
    drop(next);
    assert_eq!((counts().polls, counts().in_poll), (2, None));
    assert!(counts().total >= 2 * nap, "{:?}", counts());
    home.shut_down();
}

#[test]
fn a_recorded_poll_may_complete_and_free_the_task() {
    let home = Home::default();
    let (first, handle) = with_counts(&home, Scripted::new(&[Step::Ready]), None);
    drop(handle);
    let poll = first.begin_counted().expect("there are counts");
    first.run();
    assert_eq!(home.cells(), 1, "the counts are in the cell");
    drop(poll);
    assert_eq!(home.cells(), 0);
}
