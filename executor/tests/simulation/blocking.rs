//! Calls that block run the rest of the simulation meanwhile.

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::time::Duration;

use wsrt::runtime::Handle;
use wsrt::sim;
use wsrt::sync::{Mutex, mpsc, oneshot};
use wsrt::task::{self, block_in_place, spawn_blocking, yield_now};
use wsrt::team;
use wsrt::time::sleep;

use crate::{simulated, with_processors};

#[test]
fn jobs_run_at_moments_that_seeds_decide() {
    let order = |seed| {
        simulated(seed).run(async {
            let (sender, mut receiver) = mpsc::unbounded_channel();
            for number in 0..4 {
                let sender = sender.clone();
                spawn_blocking(move || sender.send(number));
            }
            let mut order = Vec::new();
            for _ in 0..4 {
                order.push(receiver.recv().await.expect("four are sent"));
            }
            order
        })
    };
    let orders: BTreeSet<_> = (0..100).map(order).collect();
    assert!(orders.len() > 12, "{} of 24 orders", orders.len());
}

#[test]
fn a_job_may_wait_for_tasks() {
    for seed in 0..50 {
        let sum = simulated(seed).run(async {
            let (sender, mut receiver) = mpsc::channel(1);
            let job = spawn_blocking(move || {
                let mut sum = 0;
                while let Some(number) = receiver.blocking_recv() {
                    sum += number;
                }
                Handle::current().block_on(async move {
                    sleep(Duration::from_secs(1)).await;
                    sum
                })
            });
            for number in 1..=4 {
                sender.send(number).await.expect("the job receives");
            }
            drop(sender);
            job.await.expect("it does not panic")
        });
        assert_eq!(sum, 10, "seed {seed}");
    }
}

#[test]
fn a_task_may_block_on_another_one_one_processor_too() {
    for seed in 0..50 {
        for processors in [1, 3] {
            let answer = with_processors(seed, processors).run(async {
                let (tell, told) = oneshot::channel();
                let other = wsrt::spawn(async move {
                    yield_now().await;
                    sleep(Duration::from_millis(1)).await;
                    tell.send(7).expect("it is waited for");
                });
                let answer = Handle::current().block_on(told).expect("it is told");
                other.await.expect("it does not panic");
                // The task goes on, with a processor or without.
                wsrt::spawn(async move { answer }).await.expect("it does not panic")
            });
            assert_eq!(answer, 7, "seed {seed}, {processors} processors");
        }
    }
}

#[test]
fn blocking_in_place_nests_to_any_depth() {
    fn descend(depth: u32) -> u32 {
        if depth == 0 {
            return 0;
        }
        let inner = block_in_place(|| {
            Handle::current().block_on(async move {
                wsrt::spawn(async move { descend(depth - 1) }).await.expect("it does not panic")
            })
        });
        inner + 1
    }
    for seed in 0..20 {
        assert_eq!(simulated(seed).run(async { descend(6) }), 6, "seed {seed}");
    }
}

/// A task blocks until the future in the outer `block_on` has sent.
#[test]
fn the_outer_future_goes_on_while_a_task_blocks() {
    for seed in 0..50 {
        let runtime = simulated(seed);
        let received = runtime.block_on(async {
            let (sender, mut receiver) = mpsc::channel(1);
            let task = wsrt::spawn(async move { receiver.blocking_recv() });
            sleep(Duration::from_millis(1)).await;
            sender.send(5).await.expect("the task receives");
            task.await.expect("it does not panic")
        });
        assert_eq!(received, Some(5), "seed {seed}");
    }
}

#[test]
fn parallel_calls_have_their_results() {
    let runtime = simulated(11);
    let sum = runtime.run(async {
        let (left, right) = wsrt::parallel::join(|| 20, || 22);
        left + right
    });
    assert_eq!(sum, 42);
}

/// On threads the first lets the lock go. Here it is below the second on the one stack.
#[test]
fn a_wait_that_is_over_and_buried_fails_the_run() {
    for has_heartbeat in [false, true] {
        let run = catch_unwind(|| {
            sim::run(1, |sim| async move {
                if has_heartbeat {
                    sim.host("other", || async {
                        loop {
                            sleep(Duration::from_secs(1)).await;
                        }
                    });
                }
                let lock = Arc::new(Mutex::new(()));
                let jobs = [0; 2].map(|_| {
                    let (lock, handle) = (Arc::clone(&lock), Handle::current());
                    spawn_blocking(move || {
                        let _held = lock.blocking_lock();
                        handle.block_on(sleep(Duration::from_millis(10)));
                    })
                });
                for job in jobs {
                    job.await.expect("it does not panic");
                }
            });
        });
        let text = *run.expect_err("it cannot go on").downcast::<String>().expect("a text");
        assert!(text.contains("the last to begin has to be the first to return"), "{text}");
    }
}

#[test]
fn as_many_jobs_may_wait_as_there_are_threads() {
    sim::run(1, |_| async {
        let (senders, jobs): (Vec<_>, Vec<_>) = (0..512_u32)
            .map(|number| {
                let (sender, receiver) = oneshot::channel();
                (sender, spawn_blocking(move || receiver.blocking_recv() == Ok(number)))
            })
            .unzip();
        sleep(Duration::from_secs(1)).await;
        for (number, sender) in (0..).zip(senders) {
            sender.send(number).expect("the job waits");
        }
        for job in jobs {
            assert!(job.await.expect("it does not panic"));
        }
    });
}

/// The way to a process-wide team, where no call of a simulated task goes.
static NOWHERE: team::Global = team::Global {
    team: || unreachable!("each call is made in a runtime"),
    takes_guests: || false,
    panic: |_| unreachable!("no spawned job panics"),
};

#[test]
fn a_broadcast_starts_no_threads() {
    let runtime = simulated(5);
    let mut reached = runtime.block_on(async {
        let task = wsrt::spawn(async {
            let (here, (sender, receiver)) = (std::thread::current().id(), std::sync::mpsc::channel());
            let call = move |context: team::BroadcastContext<'_>| {
                assert_eq!((std::thread::current().id(), team::current_thread_index()), (here, Some(context.index())));
                context.index()
            };
            assert_eq!(team::broadcast(&NOWHERE, call), [0, 1, 2, 3]);
            team::scope(&NOWHERE, |_| {
                team::current_thread_index();
                assert_eq!(team::broadcast(&NOWHERE, call), [0, 1, 2, 3]);
            });
            team::spawn_broadcast(&NOWHERE, move |context| sender.send(call(context)).expect("it is received"));
            receiver
        });
        let receiver = task.await.expect("no panic");
        sleep(Duration::from_secs(1)).await;
        receiver.try_iter().collect::<Vec<_>>()
    });
    reached.sort_unstable();
    assert_eq!(reached, [0, 1, 2, 3]);
}

#[test]
fn turns_and_jobs_see_nothing_of_the_scopes_around_them() {
    wsrt::task_local!(inherit static NUMBER: u32);
    fn number() -> Option<u32> {
        NUMBER.try_get().ok()
    }
    for seed in 0..20 {
        let program = async {
            let (sender, receiver) = oneshot::channel();
            let alone = task::Builder::new().inherit(false);
            let task = alone.spawn(async move {
                yield_now().await;
                sender.send(number())
            });
            let job = alone.spawn_blocking(number);
            // The other two run inside this wait, or before it.
            let in_wait = NUMBER.sync_scope(2, || {
                let seen = Handle::current().block_on(async { (receiver.await.expect("it is sent"), job.await) });
                (number(), seen.0, seen.1.expect("no panic"))
            });
            task.await.expect("no panic").expect("it was received");
            (number(), in_wait)
        };
        let seen = NUMBER.sync_scope(1, || simulated(seed).run(program));
        assert_eq!(seen, (Some(1), (Some(2), None, None)), "seed {seed}");
    }
}
