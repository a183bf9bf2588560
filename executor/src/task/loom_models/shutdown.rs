//! The runtime's end and the references to a cell against all other operations, and a drain against
//! tasks that end and spawn.

use crate::task::loom_models::*;

#[test]
fn the_last_of_many_references_frees_the_cell() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_unlisted_task(Probe::ready_after(1));
        runnable.run();
        let (waker, abort) = (counts.take_waker(), handle.abort_handle());
        waker.wake_by_ref();
        home.run();
        let by_wake = thread::spawn({
            let home = home.clone();
            move || {
                home.witness.look();
                waker.wake();
            }
        });
        let by_drop = thread::spawn({
            let home = home.clone();
            move || {
                home.witness.look();
                drop(abort);
            }
        });
        home.witness.look();
        drop(handle);
        by_wake.join().unwrap();
        by_drop.join().unwrap();
        counts.check(&home);
    });
}

#[test]
fn a_life_reference_released_at_completion_is_released_once() {
    let ways: [fn(TaskRef); 2] = [drop, TaskRef::shut_down];
    for give_up in ways {
        loom::model(move || {
            let home = Home::new();
            let (future, counts) = Probe::ready_after(0);
            let (task, runnable, handle) = home.allocate(future);
            drop(handle);
            let worker = thread::spawn(move || runnable.run());
            home.witness.look();
            give_up(task);
            worker.join().unwrap();
            counts.check(&home);
        });
    }
}

#[test]
fn an_empty_registry_implies_that_drops_are_seen() {
    loom::model(|| {
        let home = Home::new();
        let (mut future, counts) = Probe::ready_after(0);
        let witness = Witness::new();
        future.written_in_drop = Some(Arc::clone(&witness));
        let (runnable, handle) = home.spawn(future);
        drop(handle);
        let worker = thread::spawn(move || runnable.run());
        if home.inner.owned.is_empty() {
            witness.look();
        }
        worker.join().unwrap();
        counts.check(&home);
    });
}

#[test]
fn a_wake_that_meets_the_shutdown_ends_in_one_drop() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_task(Probe::never());
        runnable.run();
        let waker = counts.take_waker();
        let foreign = thread::spawn(move || waker.wake());
        home.inner.owned.close(TaskRef::shut_down);
        home.run();
        let nothing_is_live = home.inner.owned.is_empty();
        foreign.join().unwrap();
        let late = home.pop();
        assert!(!(nothing_is_live && late.is_some()), "a runnable turned up after the last task had ended");
        drop(late);
        assert_eq!(counts.polls.load(SeqCst), 1, "cancelled, not polled");
        assert!(!is_output(handle));
        counts.check(&home);
    });
}

#[test]
fn an_abort_that_meets_the_shutdown_ends_in_one_drop() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_task(Probe::never());
        runnable.run();
        drop(counts.take_waker());
        let foreign = thread::spawn(move || {
            handle.abort();
            drop(handle);
        });
        home.inner.owned.close(TaskRef::shut_down);
        foreign.join().unwrap();
        home.run();
        counts.check(&home);
    });
}

#[test]
fn a_poll_that_meets_the_shutdown_is_the_last() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_task(Probe::never());
        let worker = thread::spawn(move || runnable.run());
        home.inner.owned.close(TaskRef::shut_down);
        worker.join().unwrap();
        assert!(home.pop().is_none(), "the holder of the runnable or the claim has used it");
        assert!(!is_output(handle));
        counts.check(&home);
    });
}

#[test]
fn a_completion_that_meets_the_shutdown_keeps_its_output() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_task(Probe::ready_after(0));
        let worker = thread::spawn({
            let home = home.clone();
            move || {
                runnable.run();
                home.witness.look();
            }
        });
        home.inner.owned.close(TaskRef::shut_down);
        worker.join().unwrap();
        assert_eq!(is_output(handle), counts.outputs.load(SeqCst) == 1);
        counts.check(&home);
    });
}

#[test]
fn two_tasks_that_end_at_once_leave_the_registry_whole() {
    loom::model(|| {
        let home = Home::new();
        let (one, one_counts) = Probe::ready_after(0);
        let (other, other_counts) = Probe::ready_after(0);
        let (one, one_handle) = home.spawn(one);
        let (other, other_handle) = home.with_a_witness_of_its_own().spawn(other);
        drop((one_handle, other_handle));
        let worker = thread::spawn(move || one.run());
        other.run();
        worker.join().unwrap();
        for counts in [one_counts, other_counts] {
            drop(counts.waker.lock().unwrap().take());
            assert_eq!((counts.future_drops.load(SeqCst), counts.output_drops.load(SeqCst)), (1, 1));
        }
        assert!(home.inner.owned.is_empty());
        assert_eq!(home.freed(), 2);
    });
}

fn is_drained(homes: &[&Home], bell: &Arc<Bell>) -> bool {
    let registries: Vec<_> = homes.iter().map(|home| &home.inner.owned).collect();
    OwnedTasks::poll_drained(&registries, &[], Id::next(), &Waker::from(Arc::clone(bell))).is_ready()
}

#[test]
fn a_drain_ends_or_is_woken_with_the_last_task() {
    loom::model(|| {
        let (home, (runnable, handle), counts) = Home::of_task(Probe::ready_after(0));
        drop(handle);
        let worker = thread::spawn(move || runnable.run());
        let bell = Arc::<Bell>::default();
        let is_done = is_drained(&[&home], &bell);
        worker.join().unwrap();
        assert!(is_done || bell.0.load(SeqCst) == 1, "asleep for ever");
        assert!(is_drained(&[&home], &bell));
        counts.check(&home);
    });
}

#[test]
fn a_spawn_by_an_ending_task_is_waited_for() {
    loom::model(|| {
        let (home, elsewhere) = (Home::new(), Home::new());
        let (future, counts) = Probe::ready_after(0);
        let (runnable, handle) = home.spawn(future);
        drop(handle);
        home.inner.owned.refuse_outsiders();
        elsewhere.inner.owned.refuse_outsiders();
        let (future, later_counts) = Probe::ready_after(0);
        let worker = thread::spawn({
            let elsewhere = elsewhere.clone();
            move || {
                let (task, later, handle) = elsewhere.allocate(future);
                elsewhere.inner.owned.bind_follow_up(0, task).expect("not closed");
                drop(handle);
                runnable.run();
                later.run();
            }
        });
        let bell = Arc::<Bell>::default();
        // The registry that the second task goes to is the first to be looked at.
        if is_drained(&[&elsewhere, &home], &bell) {
            assert_eq!(later_counts.future_drops.load(SeqCst), 1, "it had not ended");
        } else {
            worker.join().unwrap();
            assert!(bell.0.load(SeqCst) > 0, "asleep for ever");
            return counts_are_right(&[(&counts, &home), (&later_counts, &elsewhere)]);
        }
        worker.join().unwrap();
        counts_are_right(&[(&counts, &home), (&later_counts, &elsewhere)]);
    });
}

fn counts_are_right(tasks: &[(&Arc<Counts>, &Home)]) {
    tasks.iter().for_each(|(counts, home)| counts.check(home));
}
