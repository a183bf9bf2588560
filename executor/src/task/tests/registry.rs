//! The registry: listed and live tasks, life references that are dropped in any order, and walks.

use std::time::Duration;

use crate::task::tests::*;

fn pending() -> (Scripted, Arc<Counts>) {
    let future = Scripted::new(&[Step::Pending]);
    let counts = Arc::clone(&future.counts);
    (future, counts)
}

#[test]
fn a_closed_shard_gives_the_task_back() {
    let home = Home::default();
    home.0.owned.close(drop);
    let (future, counts) = pending();
    let (task, runnable, handle) = home.allocate(future);
    let task = home.0.owned.bind(0, task).expect_err("closed");
    runnable.cancel();
    assert_eq!(home.cells(), 1, "the life reference is ours and the join handle's is its own");
    drop(task);
    assert!(result(handle).expect_err("cancelled").is_cancelled());
    assert_eq!((counts.future_drops.load(SeqCst), home.cells()), (1, 0));
}

#[test]
fn a_life_reference_dropped_early_is_left_to_the_task() {
    let home = Home::default();
    let future = Scripted::new(&[Step::Pending, Step::Ready]);
    let waker = Arc::clone(&future.waker);
    let (task, runnable, handle) = home.allocate(future);
    drop(task);
    drop(handle);
    assert_eq!(home.cells(), 1, "unfinished");
    runnable.run();
    let wake = || waker.lock().unwrap().take().expect("polled").wake();
    wake();
    assert_eq!((home.cells(), home.queued()), (1, 1), "kept by nobody but itself");
    home.run();
    assert_eq!(home.cells(), 1, "the last poll left a waker");
    wake();
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_life_reference_dropped_after_completion_is_given_back() {
    let home = Home::default();
    let (task, runnable, handle) = home.allocate(async {});
    drop(handle);
    runnable.run();
    assert_eq!(home.cells(), 1);
    drop(task);
    assert_eq!(home.cells(), 0);
}

#[test]
fn shutting_down_an_idle_task_drops_its_future_at_once() {
    let home = Home::default();
    let (future, counts) = pending();
    let waker = Arc::clone(&future.waker);
    let bell = Arc::<Bell>::default();
    let mut handle = home.spawn(future);
    assert!(poll(&mut handle, &bell).is_pending());
    home.run();
    home.0.owned.close(TaskRef::shut_down);
    assert_eq!((counts.future_drops.load(SeqCst), bell.rings(), home.0.owned.len()), (1, 1, 0));
    waker.lock().unwrap().take().expect("polled").wake();
    assert_eq!(home.queued(), 0);
    assert!(result(handle).expect_err("cancelled").is_cancelled());
}

#[test]
fn shutting_down_a_scheduled_task_leaves_it_to_its_runnable() {
    let home = Home::default();
    let (future, counts) = pending();
    let handle = home.spawn(future);
    home.0.owned.close(TaskRef::shut_down);
    assert_eq!((counts.future_drops.load(SeqCst), home.0.owned.len()), (0, 1));
    home.run();
    assert_eq!((counts.polls.load(SeqCst), counts.future_drops.load(SeqCst)), (0, 1));
    assert!(home.0.owned.is_empty());
    assert!(result(handle).expect_err("cancelled").is_cancelled());
    assert_eq!(home.cells(), 0);
}

#[test]
fn shutting_down_a_running_task_cancels_it_after_the_poll() {
    let home = Home::default();
    let future = Scripted::new(&[Step::Pending]).inside({
        let home = home.clone();
        move |_| home.0.owned.close(TaskRef::shut_down)
    });
    let counts = Arc::clone(&future.counts);
    let handle = home.spawn(future);
    home.run();
    assert_eq!((counts.polls.load(SeqCst), counts.future_drops.load(SeqCst)), (1, 1));
    assert!(home.0.owned.is_empty());
    assert!(result(handle).expect_err("cancelled").is_cancelled());
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_task_ready_at_its_shutdown_keeps_its_output() {
    let home = Home::default();
    let future = Scripted::new(&[Step::Ready]).inside({
        let home = home.clone();
        move |_| home.0.owned.close(TaskRef::shut_down)
    });
    let handle = home.spawn(future);
    home.run();
    assert!(result(handle).is_ok());
    assert_eq!(home.cells(), 0);
}

#[test]
fn a_future_whose_drop_spawns_finds_the_registry_closed() {
    struct Spawns(Home, Arc<Mutex<Option<bool>>>);
    impl Drop for Spawns {
        fn drop(&mut self) {
            let (task, runnable, _handle) = self.0.allocate(async {});
            let refused = self.0.0.owned.bind(0, task);
            *self.1.lock().unwrap() = Some(refused.is_err());
            runnable.cancel();
        }
    }
    let home = Home::default();
    let refused = Arc::default();
    let held = Spawns(home.clone(), Arc::clone(&refused));
    drop(home.spawn(async move {
        let _held = held;
        std::future::pending::<()>().await;
    }));
    home.run();
    home.shut_down();
    assert_eq!(*refused.lock().unwrap(), Some(true));
    assert_eq!(home.cells(), 0);
}

#[test]
fn tasks_leave_from_front_middle_and_back_of_the_list() {
    // Each permutation of the order in which four listed tasks end.
    for order in 0..24 {
        let home = Home::default();
        let mut runnables: Vec<Runnable> = (0..4)
            .map(|_| {
                drop(home.spawn(async {}));
                home.pop().expect("spawned")
            })
            .collect();
        let mut rest = order;
        for left in (1..=4).rev() {
            assert_eq!(home.0.owned.len(), left);
            runnables.remove(rest % left).run();
            rest /= left;
        }
        assert!(home.0.owned.is_empty());
        assert!(home.0.owned.close_and_take(0).is_none());
        assert_eq!(home.cells(), 0);
    }
}

/// A scheduler without a registry: its tasks may be bound to any.
#[derive(Clone)]
struct Loose;

impl Schedule for Loose {
    fn schedule(&self, task: Runnable) {
        drop(task);
    }

    fn reschedule(&self, task: Runnable) {
        drop(task);
    }

    fn release(&self, _: &TaskRef) -> Option<TaskRef> {
        None
    }
}

fn loose<F>(future: F) -> (TaskRef, Runnable, JoinHandle<F::Output>)
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    // SAFETY: the future and its output are Send.
    unsafe { allocate(future, Loose, Identity::new(Id::next(), Location::caller())) }
}

#[test]
fn a_task_is_removed_once_from_its_own_shard() {
    let registry = OwnedTasks::new(2);
    let (task, runnable, handle) = loose(async { 7 });
    let raw = task.as_raw();
    // SAFETY: the join handle keeps the cell until the end, and the borrow is not dropped.
    let borrowed = unsafe { TaskRef::borrowed(raw) };
    // SAFETY: it is bound to no registry.
    assert!(unsafe { registry.remove(&borrowed) }.is_none(), "not bound yet");
    registry.bind(1, task).expect("open");
    assert_eq!(registry.len(), 1);
    runnable.run();
    // SAFETY: it is bound to this registry, and no other thread removes it.
    let task = unsafe { registry.remove(&borrowed) }.expect("listed in shard 1");
    // SAFETY: as above.
    assert!(unsafe { registry.remove(&borrowed) }.is_none(), "once");
    assert!(registry.is_empty());
    assert!(registry.close_and_take(0).is_none() && registry.close_and_take(1).is_none());
    drop(task);
    assert!(matches!(result(handle), Ok(7)));
}

#[test]
fn a_registry_dropped_with_tasks_leaves_them_alone() {
    let registry = OwnedTasks::new(1);
    let witness = Arc::new(());
    let held = Arc::clone(&witness);
    let (task, runnable, handle) = loose(async move { Arc::strong_count(&held) });
    registry.bind(0, task).expect("open");
    drop(registry);
    runnable.run();
    assert!(matches!(result(handle), Ok(2)));
    assert_eq!(Arc::strong_count(&witness), 1);
}

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
    let seen = Arc::<Mutex<Option<TaskPhase>>>::default();
    let future = Scripted::new(&[Step::Pending, Step::Ready]).inside({
        let (home, seen) = (home.clone(), Arc::clone(&seen));
        move |_| *seen.lock().unwrap() = Some(only(&home).phase)
    });
    let waker = Arc::clone(&future.waker);
    let handle = home.spawn(future);
    assert_eq!(only(&home).phase, TaskPhase::Scheduled);
    home.run();
    assert_eq!(*seen.lock().unwrap(), Some(TaskPhase::Running));
    assert_eq!(only(&home).phase, TaskPhase::Idle);
    waker.lock().unwrap().take().expect("polled").wake();
    assert_eq!(only(&home).phase, TaskPhase::Scheduled);
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
    let origin = SpawnOrigin { spawned_at: Location::caller(), name };
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
