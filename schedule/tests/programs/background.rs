//! Background tasks: on their way between a queue of their own, processors that fall asleep, and
//! parallel calls that want the same time.

use std::future::pending;

use wsrt::parallel;
use wsrt::runtime::Handle;
use wsrt::sync::mpsc;
use wsrt::task::{JoinSet, spawn_background, yield_now};
use wsrt_schedule::thread;

use crate::spawning::spawn_from_outside;
use crate::support::{Busy, Gate, Ledger, OneMore, runtime};

/// Two background tasks from outside each block a processor until the other runs.
pub(crate) fn background_rendezvous() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let gates = [Gate::default(), Gate::default()];
    let tasks = [0, 1].map(|own| {
        let gates = gates.clone();
        runtime.spawn_background(async move {
            gates[own].open();
            gates[1 - own].wait();
        })
    });
    for task in tasks {
        runtime.block_on(task).expect("no panic");
    }
    busy.check();
}

/// A task blocks the only processor until a background task has run.
pub(crate) fn background_behind_a_blocked_poll() {
    let (runtime, gate) = (runtime(1), Gate::default());
    let theirs = gate.clone();
    let blocks = runtime.spawn(async move { theirs.wait() });
    let opens = runtime.spawn_background(async move { gate.open() });
    for task in [blocks, opens] {
        runtime.block_on(task).expect("no panic");
    }
}

/// Threads outside spawn background tasks while the processors fall asleep and wake.
pub(crate) fn background_spawns_from_outside() {
    spawn_from_outside(Handle::spawn_background);
}

/// Tasks of both classes wake each other.
pub(crate) fn classes_talk() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    runtime.block_on(async {
        let (to, mut from) = mpsc::channel::<u32>(1);
        let (back, mut replies) = mpsc::channel::<u32>(1);
        let background = spawn_background(async move {
            while let Some(number) = from.recv().await {
                back.send(number + 1).await.expect("the peer waits");
            }
        });
        let ordinary = wsrt::spawn(async move {
            for number in 0..3 {
                to.send(number).await.expect("the peer is there");
                assert_eq!(replies.recv().await, Some(number + 1));
            }
        });
        ordinary.await.expect("no panic");
        background.await.expect("no panic");
    });
    busy.check();
}

/// Background tasks come while a parallel call wants the processors, and run when it ends.
pub(crate) fn background_beside_loops() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let computes = wsrt::spawn(async {
            let before = spawn_background(yield_now());
            assert_eq!(parallel::map_collect(0..4_usize, |number| number).len(), 4);
            before.await.expect("no panic");
        });
        let beside = spawn_background(OneMore::default());
        computes.await.expect("no panic");
        beside.await.expect("no panic");
    });
}

/// A loop in the background, which its caller waits for.
pub(crate) fn background_loops() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let beside = wsrt::spawn(yield_now());
        let computes = wsrt::spawn(async { parallel::background().map_collect(0..4_usize, |number| number) });
        assert_eq!(computes.await.expect("no panic"), [0, 1, 2, 3]);
        beside.await.expect("no panic");
    });
}

/// A runtime is dropped while background tasks wait, run and are woken.
pub(crate) fn background_at_the_end() {
    let (runtime, ledger) = (runtime(2), Ledger::default());
    let handle = runtime.handle().clone();
    let mut tasks = JoinSet::new();
    for number in 0..4 {
        let entry = ledger.entry();
        let task = async move {
            let _entry = entry;
            if number == 0 { pending().await } else { OneMore::default().await }
        };
        drop(handle.spawn_background(task));
        tasks.spawn_on(yield_now(), &handle);
    }
    let entry = ledger.entry();
    let outside = thread::spawn(move || drop(handle.spawn_background(async move { drop(entry) })));
    drop(runtime);
    outside.join().expect("no panic");
    drop(tasks);
    ledger.assert_balanced();
}
