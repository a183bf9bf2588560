//! A walk over a registry, against tasks that end, are taken or are awaited during the walk.
//!
//! Under loom a walk lets go of the lock after each task.

use super::*;

/// How often a walk visits each of these tasks.
fn walk(home: &Home, tasks: &[Id]) -> Vec<usize> {
    let mut seen = vec![0; tasks.len()];
    home.inner.owned.walk(|snapshot| {
        let index = tasks.iter().position(|&id| id == snapshot.id).expect("one of the model's tasks");
        seen[index] += 1;
    });
    seen
}

#[test]
fn a_walk_shows_a_lasting_task_once_beside_ending_neighbours() {
    loom::model(|| {
        let home = Home::new();
        let (staying, staying_counts) = Probe::ready_after(0);
        let (first, first_counts) = Probe::ready_after(0);
        let (last, last_counts) = Probe::ready_after(0);
        let (homes, others): (Vec<_>, Vec<_>) = [first, staying, last]
            .into_iter()
            .map(|probe| {
                let own = home.with_a_witness_of_its_own();
                let spawned = own.spawn(probe);
                (own, spawned)
            })
            .unzip();
        let ids: Vec<_> = others.iter().map(|(runnable, _)| runnable.id()).collect();
        let mut runnables: Vec<_> = others.into_iter().map(|(runnable, _handle)| runnable).collect();
        let stays = runnables.remove(1);
        let worker = thread::spawn(move || runnables.into_iter().for_each(Runnable::run));
        let seen = walk(&home, &ids);
        worker.join().unwrap();
        assert!(seen[0] <= 1 && seen[1] == 1 && seen[2] <= 1, "{seen:?}");
        assert_eq!(walk(&home, &ids), [0, 1, 0]);
        stays.run();
        assert_eq!(home.freed(), 3);
        drop((homes, first_counts, staying_counts, last_counts));
    });
}

#[test]
fn a_walk_and_the_runtimes_end_both_come_to_theirs() {
    loom::model(|| {
        let home = Home::new();
        let (first, second) = (Probe::never(), Probe::never());
        let other = home.with_a_witness_of_its_own();
        let (one, one_handle) = home.spawn(first.0);
        let (two, two_handle) = other.spawn(second.0);
        let ids = [one.id(), two.id()];
        one.run();
        two.run();
        drop((one_handle, two_handle, first.1.take_waker(), second.1.take_waker()));
        let closer = thread::spawn({
            let home = home.clone();
            move || home.inner.owned.close(TaskRef::shut_down)
        });
        let seen = walk(&home, &ids);
        closer.join().unwrap();
        assert!(seen.iter().all(|&times| times <= 1), "{seen:?}");
        assert_eq!(walk(&home, &ids), [0, 0]);
        assert_eq!(home.freed(), 2);
    });
}

#[test]
fn a_walk_may_peek_as_joiner_and_task_change() {
    loom::model(|| {
        let (home, (runnable, mut handle), counts) = Home::of_task(Probe::ready_after(0));
        let id = runnable.id();
        assert!(poll(&mut handle, &Arc::default()).is_pending());
        let walker = thread::spawn({
            let home = home.clone();
            move || walk(&home, &[id])
        });
        let bell = Arc::<Bell>::default();
        assert!(poll(&mut handle, &bell).is_pending());
        runnable.run();
        assert!(walker.join().unwrap()[0] <= 1);
        assert_eq!(bell.0.load(SeqCst), 1);
        drop(handle);
        counts.check(&home);
    });
}
