//! Idle processors help: with every kind of call, from wherever it is made, and when they become
//! idle later. A participant that waits holds up no other.
//!
//! Closures here wait for each other, which the docs forbid to users: it is the proof that two
//! threads run them.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};

use wsrt::parallel::{self, join, scope};
use wsrt::runtime::Runtime;
use wsrt::task::spawn_blocking;
use wsrt_tests::{Gate, LIMIT, Manner, assert_no_wake_was_lost, runtime_with, within_a_minute};

fn wait(all: &Barrier) {
    let _ = all.wait();
}

/// Calls in which `participants` have to take part at the same time.
fn meet(participants: usize) {
    meet_in_loop(participants);
    meet_in_scope(participants);
    let both = Barrier::new(2);
    join(|| both.wait(), || both.wait());
}

fn meet_in_loop(participants: usize) {
    let all = Barrier::new(participants);
    parallel::for_each(0..participants, |_| wait(&all));
}

fn meet_in_scope(participants: usize) {
    let all = Barrier::new(participants);
    scope(|scope| (0..participants).for_each(|_| scope.spawn(|_| wait(&all))));
}

#[test]
fn from_a_task() {
    within_a_minute(|| {
        for processors in [2, 3, 4] {
            let runtime = runtime_with(processors);
            (0..20).for_each(|_| runtime.run(async move { meet(processors) }));
            assert_no_wake_was_lost(&runtime);
        }
    });
}

/// Threads of their own, which hold no processor.
#[test]
fn from_a_blocking_job_and_from_outside() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        for _ in 0..20 {
            runtime.run(async { spawn_blocking(|| meet(2)).await.expect("no panic") });
            runtime.block_on(async { meet(2) });
            let _guard = runtime.enter();
            meet(2);
        }
        assert_no_wake_was_lost(&runtime);
    });
}

/// A call that is open already, in which there is nothing to share at first.
#[test]
fn with_what_comes_later() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        runtime.run(async {
            for _ in 0..20 {
                scope(|outer| {
                    // Long enough for helpers to come, find nothing, and go.
                    wsrt_tests::spin_for(std::time::Duration::from_millis(2));
                    meet(2);
                    let both = Arc::new(Barrier::new(2));
                    for _ in 0..2 {
                        let both = Arc::clone(&both);
                        outer.spawn(move |_| wait(&both));
                    }
                });
            }
        });
        assert_no_wake_was_lost(&runtime);
    });
}

/// Starts `call` while the other processor is busy, has that end, and waits for the call.
fn help_comes_when_a_task_ends(call: fn(&Barrier, &(dyn Fn() + Sync))) {
    within_a_minute(move || {
        let runtime = runtime_with(2);
        for _ in 0..10 {
            let gate = Gate::new();
            let busy = occupy(&runtime, &gate);
            let (begun, has_begun) = channel();
            let call = runtime.spawn(async move {
                let both = Barrier::new(2);
                call(&both, &|| begun.send(()).expect("the test waits"));
            });
            has_begun.recv_timeout(LIMIT).expect("the call begins");
            gate.open();
            runtime.block_on(call).expect("no panic");
            runtime.block_on(busy).expect("no panic");
        }
        assert_no_wake_was_lost(&runtime);
    });
}

/// Has a task hold one of the processors until the gate is opened.
fn occupy(runtime: &Runtime, gate: &Gate) -> wsrt::task::JoinHandle<()> {
    let (held, is_held) = channel();
    let hold = gate.hold();
    let task = runtime.spawn(async move {
        held.send(()).expect("the test waits");
        hold.wait(Manner::Burning);
    });
    is_held.recv_timeout(LIMIT).expect("the task begins");
    task
}

#[test]
fn a_loop_gets_help_when_a_busy_task_has_ended() {
    help_comes_when_a_task_ends(|both, begun| {
        parallel::for_each(0..2, |item| {
            if item == 0 {
                begun();
            }
            both.wait();
        });
    });
}

/// Unlike the loop, whose second item is stolen while its first one waits, the second job is the
/// one that is.
#[test]
fn a_join_gets_help_when_a_busy_task_has_ended() {
    help_comes_when_a_task_ends(|both, begun| {
        join(
            || {
                begun();
                both.wait();
            },
            || both.wait(),
        );
    });
}

/// The participant that took the first item sleeps until all others are done.
#[test]
fn a_blocked_task_holds_up_no_other() {
    within_a_minute(|| {
        for processors in [2, 3] {
            let runtime = runtime_with(processors);
            for _ in 0..20 {
                let gate = Gate::new();
                let (hold, done) = (gate.hold(), AtomicUsize::new(0));
                let finish = |item: usize| {
                    if item == 0 {
                        hold.wait(Manner::Asleep);
                    } else if done.fetch_add(1, SeqCst) + 1 == 999 {
                        gate.open();
                    }
                };
                runtime.block_on(async { parallel::for_each(0..1_000, finish) });
            }
            assert_no_wake_was_lost(&runtime);
        }
    });
}
