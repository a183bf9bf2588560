//! Tasks go on beside parallel calls: other processors run the tasks that wait behind a loop that
//! does not end. And a loop that holds its task's processor for long is reported, as any long poll.

use std::sync::mpsc::channel;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::parallel::{self, until};
use wsrt::runtime::Runtime;
use wsrt::sync::CancellationToken;
use wsrt::task::{JoinHandle, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{Gate, LIMIT, Manner, compute, runtime_with, watched, within_a_minute};

/// Ends a loop when it is dropped, so that a test that fails does not wait for it.
struct Ending(CancellationToken);

impl Ending {
    fn cancel(&self) {
        self.0.cancel();
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// A task with a loop that has begun, and ends when the test stops it.
fn endless_loop(runtime: &Runtime) -> (Ending, JoinHandle<()>) {
    let token = CancellationToken::new();
    let (begun, has_begun) = channel();
    let task = {
        let token = token.clone();
        runtime.spawn(async move {
            let outcome = until(&token).for_each(0..u64::MAX, |item| {
                if item == 0 {
                    begun.send(()).expect("the test waits");
                }
                compute(1_000);
            });
            assert!(outcome.is_err(), "it has no end");
        })
    };
    has_begun.recv_timeout(LIMIT).expect("the loop begins");
    (Ending(token), task)
}

/// Some of all that tasks do: they spawn, wake each other, sleep, and talk.
async fn live() {
    let yielding: Vec<_> = (0..20)
        .map(|_| {
            wsrt::spawn(async {
                for _ in 0..50 {
                    yield_now().await;
                }
            })
        })
        .collect();
    for task in yielding {
        task.await.expect("no panic");
    }
    for _ in 0..3 {
        sleep(Duration::from_millis(1)).await;
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    let address = listener.local_addr().expect("an address");
    let echo = wsrt::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut bytes = [0; 4];
        for _ in 0..10 {
            stream.read_exact(&mut bytes).await.expect("it sends");
            stream.write_all(&bytes).await.expect("it is sent");
        }
    });
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    for round in 0..10_u32 {
        stream.write_all(&round.to_le_bytes()).await.expect("it is sent");
        let mut bytes = [0; 4];
        stream.read_exact(&mut bytes).await.expect("it answers");
        assert_eq!(u32::from_le_bytes(bytes), round);
    }
    echo.await.expect("no panic");
}

#[test]
fn tasks_go_on_beside_an_endless_loop() {
    within_a_minute(|| {
        for processors in [1, 2, 3, 8] {
            let runtime = runtime_with(processors);
            let (token, task) = endless_loop(&runtime);
            runtime.run(live());
            runtime.block_on(live());
            token.cancel();
            runtime.block_on(task).expect("no panic");
        }
    });
}

#[test]
fn tasks_go_on_beside_as_many_endless_loops_as_processors() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let loops = [(); 2].map(|()| endless_loop(&runtime));
        runtime.run(live());
        for (token, task) in loops {
            token.cancel();
            runtime.block_on(task).expect("no panic");
        }
    });
}

/// From outside, without a processor: helpers give way.
#[test]
fn tasks_go_on_beside_loops_from_outside() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let token = CancellationToken::new();
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    let _guard = runtime.enter();
                    assert!(until(&token).for_each(0..u64::MAX, |_| compute(1_000)).is_err());
                });
            }
            for _ in 0..5 {
                runtime.run(live());
            }
            token.cancel();
        });
    });
}

/// Helpers that are in one long piece of work each look after nothing else meanwhile.
#[test]
fn tasks_go_on_while_helpers_are_stuck() {
    within_a_minute(|| {
        for manner in Manner::ALL {
            let runtime = runtime_with(2);
            for _ in 0..5 {
                let gate = Gate::new();
                let hold = gate.hold();
                let (begun, has_begun) = channel();
                std::thread::scope(|threads| {
                    threads.spawn(|| {
                        let _guard = runtime.enter();
                        parallel::for_each(0..2, |_| {
                            begun.send(()).expect("the test waits");
                            hold.wait(manner);
                        });
                    });
                    (0..2).for_each(|_| has_begun.recv_timeout(LIMIT).expect("there are two at it"));
                    runtime.run(live());
                    runtime.block_on(live());
                    gate.open();
                });
            }
        }
    });
}

/// Tasks that end and come again, while loops take idle processors in between: each helper that
/// gives way leaves no work behind.
#[test]
fn loops_and_tasks_take_turns() {
    within_a_minute(|| {
        for processors in [2, 3, 8] {
            let runtime = runtime_with(processors);
            runtime.run(async {
                let looping = wsrt::spawn(async {
                    for round in 0..200_u64 {
                        let sum = parallel::reduce(
                            0..500_u64,
                            || 0,
                            |item| {
                                compute(200);
                                item + round
                            },
                            |a, b| a + b,
                        );
                        assert_eq!(sum, 124_750 + 500 * round);
                        yield_now().await;
                    }
                });
                while !looping.is_finished() {
                    let short: Vec<_> = (0..8).map(|_| wsrt::spawn(async { compute(5_000) })).collect();
                    for task in short {
                        task.await.expect("no panic");
                    }
                    sleep(Duration::from_micros(100)).await;
                }
                looping.await.expect("no panic");
            });
        }
    });
}

/// It gives way by itself, where there is another processor.
#[test]
fn a_loop_is_no_stall_unless_a_piece_blocks() {
    within_a_minute(|| {
        for processors in [2, 3] {
            let (runtime, reports) = watched(processors);
            let (token, task) = endless_loop(&runtime);
            assert!(reports.recv_timeout(3 * DEFAULT_THRESHOLD).is_err(), "a loop is no stall");
            token.cancel();
            runtime.block_on(task).expect("no panic");
            let task = runtime.spawn(async { parallel::for_each(0..1, |_| std::thread::sleep(5 * DEFAULT_THRESHOLD)) });
            let stall = reports.recv_timeout(LIMIT).expect("a piece that blocks is reported");
            assert_eq!(stall.task_id.to_string(), task.id().to_string());
            assert!(stall.asleep && stall.spawned_at.file() == file!(), "{stall}");
            runtime.block_on(task).expect("no panic");
        }
    });
}

/// The default of `WSRT_STALL_MS`.
const DEFAULT_THRESHOLD: Duration = Duration::from_millis(100);

#[test]
fn calls_begin_though_endless_loops_have_all_turns() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let endless = [endless_loop(&runtime), endless_loop(&runtime)];
        let call = || runtime.spawn(async { parallel::join(|| 1, || 2) });
        for call in (0..8).map(|_| call()).collect::<Vec<_>>() {
            assert_eq!(runtime.block_on(call).expect("it does not panic"), (1, 2));
        }
        drop(endless);
    });
}

#[test]
fn a_call_that_others_wait_for_gets_a_turn() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let (send, receive) = std::sync::mpsc::channel();
        let receive = std::sync::Arc::new(std::sync::Mutex::new(receive));
        let waiting = [(); 2].map(|()| {
            let receive = std::sync::Arc::clone(&receive);
            runtime.spawn(async move { parallel::scope(|_| receive.lock().expect("it is whole").recv()) })
        });
        let last = runtime.spawn(async move { parallel::scope(|_| [(); 2].map(|()| send.send(()))) });
        for call in waiting {
            runtime.block_on(call).expect("it does not panic").expect("the last call sends");
        }
        let sent = runtime.block_on(last).expect("it does not panic");
        assert_eq!(sent, [Ok(()), Ok(())]);
    });
}
