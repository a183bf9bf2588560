//! No wake is lost: as long as a task can run and a processor has nothing to do, the two come
//! together.
//!
//! The test is Go's: tasks that block their threads, each waiting for the others to take their
//! turns. They end only if all of them run at the same time, on as many machines; a single wake
//! that goes missing hangs them, or has sysmon send a machine, which counts that. It is run by the
//! thousand, in the situations in which machines are just about to fall asleep.

use std::io::{Read, Write};
use std::net::TcpStream as StdStream;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::TcpListener;
use wsrt::runtime::{Handle, Runtime};
use wsrt::task::yield_now;
use wsrt::time::sleep;
use wsrt_tests::{assert_no_wake_was_lost, compute, runtime_with, within_a_minute};

const LAPS: usize = 3;
/// A loop ends after this time, however slow the machine is today, with the rounds that it has had
/// then, if these are enough.
const TIME: Duration = Duration::from_secs(10);

/// The numbers of a test's rounds: `count` of them, or as many as there is time for, but a
/// twentieth at least.
fn rounds(count: u64) -> impl Iterator<Item = u64> {
    let began = Instant::now();
    (0..count).take_while(move |&number| number < count / 20 || began.elapsed() < TIME)
}

/// Runs as many tasks as there are processors, each of which keeps its processor until all have had
/// their turns.
async fn round(players: usize) {
    let turn = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..players)
        .map(|me| {
            let turn = Arc::clone(&turn);
            wsrt::spawn(async move {
                for lap in 0..LAPS {
                    await_turn(&turn, lap * players + me);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no player panics");
    }
}

fn await_turn(turn: &AtomicUsize, mine: usize) {
    while turn.load(Acquire) != mine {
        // There may be fewer cores than tasks.
        thread::yield_now();
    }
    turn.store(mine + 1, Release);
}

/// A round in a task of its own, spawned by a task of its own.
async fn nested_round(players: usize) {
    wsrt::spawn(async move { wsrt::spawn(round(players)).await }).await.expect("no panic").expect("no panic");
}

/// Every processor busy, and then none: machines are about to fall asleep when this is done.
async fn load(processors: usize) {
    let tasks: Vec<_> = (0..processors * 4).map(|_| wsrt::spawn(async { compute(2_000) })).collect();
    for task in tasks {
        task.await.expect("no panic");
    }
}

#[test]
fn as_many_tasks_as_processors_run_at_the_same_time() {
    within_a_minute(|| {
        for processors in [2, 3, 4] {
            let runtime = runtime_with(processors);
            runtime.run(async move {
                for _ in rounds(2_000) {
                    round(processors).await;
                }
            });
            assert_no_wake_was_lost(&runtime);
        }
    });
}

#[test]
fn they_do_when_spawned_by_tasks_that_were_spawned() {
    within_a_minute(|| {
        for processors in [2, 3] {
            let runtime = runtime_with(processors);
            runtime.run(async move {
                for _ in rounds(2_000) {
                    nested_round(processors).await;
                }
            });
            assert_no_wake_was_lost(&runtime);
        }
    });
}

#[test]
fn they_do_when_the_machines_are_just_falling_asleep() {
    within_a_minute(|| {
        for processors in [2, 3] {
            let runtime = runtime_with(processors);
            runtime.run(async move {
                for number in rounds(2_000) {
                    load(processors).await;
                    // At different moments of falling asleep.
                    compute(number % 50 * 100);
                    nested_round(processors).await;
                }
            });
            assert_no_wake_was_lost(&runtime);
        }
    });
}

#[test]
fn they_do_when_spawned_from_a_foreign_thread() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        for number in rounds(3_000) {
            compute(number % 50 * 100);
            runtime.block_on(round(2));
        }
        assert_no_wake_was_lost(&runtime);
    });
}

/// An echo server on the runtime, and a client on a thread that keeps it busy until the runtime is
/// gone.
fn network_activity(runtime: &Runtime) -> thread::JoinHandle<usize> {
    let address = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        wsrt::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a client comes");
            let mut buffer = [0; 16];
            while let Ok(count @ 1..) = stream.read(&mut buffer).await {
                stream.write_all(&buffer[..count]).await.expect("the client reads");
            }
        });
        address
    });
    thread::spawn(move || {
        let mut stream = StdStream::connect(address).expect("the server listens");
        let mut trips = 0;
        while stream.write_all(b"ping").is_ok() && stream.read_exact(&mut [0; 4]).is_ok() {
            trips += 1;
        }
        trips
    })
}

#[test]
fn they_do_beside_network_activity() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let client = network_activity(&runtime);
        runtime.run(async {
            for number in rounds(2_000) {
                compute(number % 50 * 100);
                nested_round(2).await;
            }
        });
        assert_no_wake_was_lost(&runtime);
        drop(runtime);
        assert!(client.join().expect("the client does not panic") > 0, "there was no network activity");
    });
}

#[test]
fn they_do_beside_timers() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        for micros in [50, 170, 900] {
            runtime.spawn(async move {
                loop {
                    sleep(Duration::from_micros(micros)).await;
                }
            });
        }
        runtime.run(async {
            for number in rounds(2_000) {
                compute(number % 50 * 100);
                nested_round(2).await;
            }
        });
        assert_no_wake_was_lost(&runtime);
    });
}

/// The machine that waits in the netpoller is woken for work as well as any other.
#[test]
fn they_do_when_all_machines_have_been_asleep() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        runtime.run(async {
            for _ in rounds(500) {
                sleep(Duration::from_micros(300)).await;
                nested_round(2).await;
            }
        });
        assert_no_wake_was_lost(&runtime);
    });
}

/// A task that blocks hands its processor, with the task that it has just readied, to a machine
/// that sleeps.
#[test]
fn a_processor_that_is_handed_over_goes_on() {
    within_a_minute(|| {
        for processors in [1, 2] {
            let runtime = runtime_with(processors);
            runtime.run(async {
                for number in rounds(1_000) {
                    // It may have gone on without a processor.
                    yield_now().await;
                    compute(number % 50 * 1_000);
                    let readied = wsrt::spawn(async {});
                    Handle::current().block_on(readied).expect("another machine runs it");
                }
            });
            assert_no_wake_was_lost(&runtime);
        }
    });
}
