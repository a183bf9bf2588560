//! The waiter for the last task, against tasks that end and spawn.

use super::*;

fn is_drained(homes: &[&Home], bell: &Arc<Bell>) -> bool {
    let registries: Vec<_> = homes.iter().map(|home| &home.inner.owned).collect();
    OwnedTasks::poll_drained(&registries, &[], Id::next(), &Waker::from(Arc::clone(bell))).is_ready()
}

#[test]
fn a_drain_ends_or_is_woken_with_the_last_task() {
    loom::model(|| {
        let home = Home::new();
        let (future, counts) = Probe::ready_after(0);
        let (runnable, handle) = home.spawn(future);
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
