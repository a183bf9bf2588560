//! Teams of rayon's, and guests of a runtime.

use std::sync::Arc;

use wsrt::team::{
    Global, Handle, Hooks, Order, broadcast, current_thread_index, in_place_scope, join_context, scope, spawn,
    spawn_broadcast,
};
use wsrt_schedule::atomic::{AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::thread::{self, JoinHandle};

use crate::support::{Busy, Gate, runtime};

/// The way to a process-wide team, where no program goes: a schedule has no statics.
static NOWHERE: Global = Global {
    team: || unreachable!("each call is made in a team or in a runtime"),
    takes_guests: || false,
    panic: |_| unreachable!("no spawned job panics"),
};

/// A team, and its threads, which end when it has no user any more.
struct Team {
    handle: Handle,
    threads: Vec<JoinHandle<()>>,
}

impl Team {
    fn of(count: usize) -> Self {
        let (handle, places) = Handle::new(count, Hooks::default());
        let threads = places.into_iter().map(|place| thread::spawn(|| place.run())).collect();
        Self { handle, threads }
    }

    fn end(self) {
        drop(self.handle);
        self.threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    }
}

/// Adds the numbers up to the last one by joins.
fn sum(numbers: std::ops::Range<usize>) -> usize {
    if numbers.len() < 2 {
        return numbers.start;
    }
    let middle = numbers.start + numbers.len() / 2;
    let (a, b) = join_context(&NOWHERE, |_| sum(numbers.start..middle), |_| sum(middle..numbers.end));
    a + b
}

/// A thread outside hands closures over, which compute in a tree of their own.
pub(crate) fn installs() {
    let team = Team::of(2);
    assert_eq!(team.handle.install(|| sum(0..6)), 15);
    let busy = Busy::from_here();
    assert_eq!(team.handle.install(current_thread_index).map(|index| index < 2), Some(true));
    busy.check();
    team.end();
}

/// Each member waits for the other team, which hands its closure back.
pub(crate) fn teams_wait_for_each_other() {
    let (first, second) = (Team::of(1), Team::of(1));
    let (one, two) = (&first.handle, &second.handle);
    let sum = one.install(|| two.install(|| one.install(|| two.install(|| sum(0..3)))));
    assert_eq!(sum, 3);
    first.end();
    second.end();
}

/// Jobs of a scope from outside, and jobs that no thread waits for.
pub(crate) fn scopes_and_spawns() {
    let team = Team::of(2);
    let ran = Arc::new(AtomicUsize::new(0));
    let busy = Busy::from_here();
    team.handle.in_place_scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|scope| {
                ran.fetch_add(1, SeqCst);
                scope.spawn(|_| _ = ran.fetch_add(1, SeqCst));
            });
        }
    });
    busy.check();
    assert_eq!(ran.load(SeqCst), 4);
    for order in [Order::Lifo, Order::Fifo] {
        let theirs = Arc::clone(&ran);
        team.handle.spawn(order, move || {
            let again = Arc::clone(&theirs);
            spawn(&NOWHERE, order, move || _ = again.fetch_add(1, SeqCst));
            theirs.fetch_add(1, SeqCst);
        });
    }
    team.end();
    assert_eq!(ran.load(SeqCst), 8);
}

/// Broadcasts from outside, and from a member to itself.
pub(crate) fn team_broadcasts() {
    let team = Team::of(2);
    assert_eq!(team.handle.broadcast(|context| context.index()), [0, 1]);
    let counts = team.handle.install(|| broadcast(&NOWHERE, |_| broadcast(&NOWHERE, |_| ()).len()));
    assert_eq!(counts, [2, 2]);
    let ran = Arc::new(AtomicUsize::new(0));
    let theirs = Arc::clone(&ran);
    team.handle.spawn_broadcast(move |_| _ = theirs.fetch_add(1, SeqCst));
    team.end();
    assert_eq!(ran.load(SeqCst), 2);
}

/// A job that is split off while the other member falls asleep, and that the owner waits for
/// without a look: the member has to come by itself.
pub(crate) fn jobs_beside_sleepers() {
    let team = Team::of(2);
    let gate = Gate::default();
    let opens = gate.clone();
    team.handle.install(|| join_context(&NOWHERE, |_| gate.wait(), move |_| opens.open()));
    team.end();
}

/// Guests of a runtime: indices, broadcasts and spawned jobs, and an end meanwhile.
pub(crate) fn guests() {
    let runtime = runtime(2);
    let ran = Arc::new(AtomicUsize::new(0));
    let theirs = Arc::clone(&ran);
    runtime.block_on(async {
        let task = wsrt::spawn(async move {
            let (first, second) = join_context(&NOWHERE, |_| current_thread_index(), |_| current_thread_index());
            assert!(first.is_some() && second.is_some());
            assert_eq!(broadcast(&NOWHERE, |context| context.index()), [0, 1]);
            let counts = scope(&NOWHERE, |_| {
                current_thread_index();
                join_context(&NOWHERE, |_| broadcast(&NOWHERE, |_| ()).len(), |_| current_thread_index()).0
            });
            assert_eq!(counts, 2);
            let again = Arc::clone(&theirs);
            spawn_broadcast(&NOWHERE, move |_| _ = again.fetch_add(1, SeqCst));
            spawn(&NOWHERE, Order::Lifo, move || {
                theirs.fetch_add(sum(0..4), SeqCst);
            });
        });
        task.await.expect("no panic");
    });
    drop(runtime);
    while ran.load(SeqCst) < 8 {
        thread::yield_now();
    }
}

/// Two calls of threads outside, for which the runtime has one helper. The function of one waits
/// for its closure, which finds the helper when the other call ends, if not before.
pub(crate) fn calls_are_helped_later() {
    let runtime = runtime(2);
    let handle = runtime.handle().clone();
    let sums = thread::spawn(move || {
        let _entered = handle.enter();
        assert_eq!(sum(0..3), 3);
    });
    let entered = runtime.enter();
    let gate = Gate::default();
    let opens = gate.clone();
    scope(&NOWHERE, |scope| {
        scope.spawn(move |_| opens.open());
        gate.wait();
    });
    drop(entered);
    sums.join().expect("no panic");
}

/// Closures of an in-place scope that wait for each other, and for which there is no processor.
pub(crate) fn closures_beside_each_other() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let ends = Gate::default();
        let begun = Gate::default();
        let (theirs, begins) = (ends.clone(), begun.clone());
        let holds = wsrt::spawn(async move {
            begins.open();
            theirs.wait();
        });
        let task = wsrt::spawn(async move {
            begun.wait();
            let gates = [(); 3].map(|()| Gate::default());
            in_place_scope(&NOWHERE, |scope| {
                let [first, second, third] = &gates;
                scope.spawn(move |_| {
                    first.open();
                    second.wait();
                    third.open();
                });
                scope.spawn(move |_| {
                    first.wait();
                    second.open();
                });
                third.wait();
            });
            ends.open();
        });
        task.await.expect("no panic");
        holds.await.expect("no panic");
    });
}
