//! Trees of tasks that are spawned, woken, joined and aborted.

use std::future::{Future, pending};
use std::pin::Pin;

use wsrt::runtime::Handle;
use wsrt::task::{JoinHandle, JoinSet, yield_now};
use wsrt_schedule::thread;

use crate::support::{Busy, Gate, Ledger, OneMore, current_thread, runtime};

/// One task that joins others, on two processors.
pub(crate) fn spawn_and_join() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let sum = runtime.block_on(async {
        let tasks: Vec<_> = (0..3).map(|number| wsrt::spawn(async move { number })).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await.expect("it does not panic");
        }
        sum
    });
    busy.check();
    assert_eq!(sum, 3);
}

fn tree(depth: usize) -> Pin<Box<dyn Future<Output = usize> + Send>> {
    Box::pin(async move {
        if depth == 0 {
            yield_now().await;
            return 1;
        }
        let branches: Vec<_> = (0..3).map(|_| wsrt::spawn(tree(depth - 1))).collect();
        let mut leaves = 0;
        for branch in branches {
            leaves += branch.await.expect("it does not panic");
        }
        leaves
    })
}

/// A tree of tasks in rings of four places: rings overflow, and are robbed.
pub(crate) fn tree_of_tasks() {
    let runtime = runtime(3);
    let busy = Busy::from_here();
    assert_eq!(runtime.block_on(async { wsrt::spawn(tree(2)).await }).expect("no panic"), 9);
    busy.check();
}

/// Threads outside spawn while the processors fall asleep and wake.
pub(crate) fn spawns_from_outside() {
    spawn_from_outside(Handle::spawn);
}

/// Threads outside spawn by `spawn` while the processors fall asleep and wake.
pub(crate) fn spawn_from_outside(spawn: fn(&Handle, OneMore) -> JoinHandle<()>) {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let handle = runtime.handle().clone();
            thread::spawn(move || {
                for _ in 0..2 {
                    let task = spawn(&handle, OneMore::default());
                    handle.block_on(task).expect("no panic");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    busy.check();
}

/// Aborts race with completions and joins.
pub(crate) fn aborts() {
    let (runtime, ledger) = (runtime(2), Ledger::default());
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for number in 0..4 {
            let entry = ledger.entry();
            let task = tasks.spawn(async move {
                let _entry = entry;
                if number == 0 { pending().await } else { yield_now().await }
            });
            wsrt::spawn(async move { task.abort() });
        }
        while tasks.join_next().await.is_some() {}
    });
    ledger.assert_balanced();
}

/// A current-thread runtime's tasks are woken by threads outside.
pub(crate) fn wakes_from_outside() {
    let runtime = current_thread();
    let busy = Busy::from_here();
    let (sender, mut receiver) = wsrt::sync::mpsc::channel(1);
    let outside = thread::spawn(move || {
        for number in 0..3 {
            sender.blocking_send(number).expect("the receiver is there");
        }
    });
    let sum = runtime.block_on(async {
        let task = wsrt::task::spawn_local(async move {
            let mut sum = 0;
            while let Some(number) = receiver.recv().await {
                sum += number;
            }
            sum
        });
        task.await.expect("no panic")
    });
    busy.check();
    assert_eq!(sum, 3);
    outside.join().expect("no panic");
}

/// Two tasks from outside each block a processor until the other runs: none waits for the watcher.
pub(crate) fn rendezvous() {
    let runtime = runtime(2);
    let busy = Busy::from_here();
    let gates = [Gate::default(), Gate::default()];
    let tasks = [0, 1].map(|own| {
        let gates = gates.clone();
        runtime.spawn(async move {
            gates[own].open();
            gates[1 - own].wait();
        })
    });
    for task in tasks {
        runtime.block_on(task).expect("no panic");
    }
    busy.check();
}
