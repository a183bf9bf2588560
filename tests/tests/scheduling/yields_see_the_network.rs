//! The processor of a task that yields, with nothing else to run, looks at the network: the task
//! sees readiness that has arrived by then.
#![cfg(unix)]

use std::cell::Cell;
use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixStream as Peer;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use wsrt::net::UnixStream;
use wsrt::runtime::{Builder, Metrics, Runtime};
use wsrt::task::{spawn_local, yield_now};
use wsrt_tests::within_a_minute;

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// With one machine, so that no other machine can own the netpoller.
fn one_processor() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_machines(1).build().expect("a runtime")
}

/// A stream that is registered with the current runtime, and its other end.
fn pair() -> (UnixStream, Peer) {
    let (near, far) = Peer::pair().expect("a pair of sockets");
    near.set_nonblocking(true).expect("it is a socket");
    (UnixStream::from_std(near).expect("inside a runtime"), far)
}

async fn wait_until_readable(stream: &UnixStream) {
    loop {
        stream.readable().await.expect("the runtime goes on");
        match stream.try_read(&mut [0; 1]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            result => return assert_eq!(result.expect("it works"), 1),
        }
    }
}

/// Another task waits for data; they arrive; the current task yields once.
async fn a_yield_sees_what_has_arrived() {
    for round in 0..100 {
        let (stream, mut peer) = pair();
        let [waits, has_run] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let theirs = [&waits, &has_run].map(Arc::clone);
        wsrt::spawn(async move {
            theirs[0].store(true, SeqCst);
            wait_until_readable(&stream).await;
            theirs[1].store(true, SeqCst);
        });
        while !waits.load(SeqCst) {
            yield_now().await;
        }
        yield_now().await;
        peer.write_all(&[1]).expect("the stream is open");
        assert!(!has_run.load(SeqCst));
        yield_now().await;
        assert!(has_run.load(SeqCst), "the data have arrived, and were not seen, in round {round}");
    }
}

#[test]
fn a_lone_current_thread_task_sees_what_has_arrived() {
    within_a_minute(|| current_thread().run(a_yield_sees_what_has_arrived()));
}

#[test]
fn a_lone_task_of_one_processor_sees_what_has_arrived() {
    within_a_minute(|| one_processor().run(a_yield_sees_what_has_arrived()));
}

#[test]
fn a_root_that_yields_sees_what_has_arrived() {
    within_a_minute(|| current_thread().block_on(a_yield_sees_what_has_arrived()));
}

#[test]
fn a_root_that_waits_comes_before_the_task_that_yields() {
    const ROUNDS: usize = 100;
    within_a_minute(|| {
        current_thread().block_on(async {
            let polls = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&polls);
            wsrt::spawn(async move {
                loop {
                    counted.fetch_add(1, SeqCst);
                    yield_now().await;
                }
            });
            for _ in 0..ROUNDS {
                let (stream, mut peer) = pair();
                peer.write_all(&[1]).expect("the stream is open");
                // No look at the network has reported it yet.
                wait_until_readable(&stream).await;
            }
            let polls = polls.load(SeqCst);
            assert!((1..=ROUNDS).contains(&polls), "it yielded {polls} times while the root waited {ROUNDS} times");
        });
    });
}

#[test]
fn a_lone_local_task_sees_what_has_arrived() {
    within_a_minute(|| {
        current_thread().block_on(async {
            let is_done = Rc::new(Cell::new(false));
            let done = Rc::clone(&is_done);
            let yielding = async move {
                a_yield_sees_what_has_arrived().await;
                done.set(true);
            };
            spawn_local(yielding).await.expect("no panic");
            assert!(is_done.get());
        });
    });
}

/// Looks at the network that processors took, from `before` on.
fn looks(runtime: &Runtime, before: &Metrics) -> u64 {
    runtime.metrics().snapshot().since(before).total().arrivals().turns
}

#[test]
fn where_nothing_is_registered_a_yield_makes_no_look() {
    within_a_minute(|| {
        for runtime in [current_thread(), one_processor()] {
            let before = runtime.metrics().snapshot();
            runtime.run(async {
                for _ in 0..10_000 {
                    yield_now().await;
                }
            });
            assert_eq!(looks(&runtime, &before), 0);
        }
    });
}

#[test]
fn tasks_that_yield_to_each_other_look_seldom() {
    within_a_minute(|| {
        for runtime in [current_thread(), one_processor()] {
            let polls = runtime.run(async {
                let _stream = pair();
                // All of it in polls of this task's, but for the yields.
                let before = runtime_metrics();
                let tasks: Vec<_> = (0..200)
                    .map(|_| {
                        wsrt::spawn(async {
                            for _ in 0..500 {
                                yield_now().await;
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.expect("no panic");
                }
                let spent = runtime_metrics().since(&before).total();
                (spent.poll_count(), spent.arrivals().turns)
            });
            // One at 61 polls, and one in a millisecond.
            assert!(polls.1 * 20 < polls.0, "{polls:?}: polls, and looks at the network");
        }
    });
}

fn runtime_metrics() -> Metrics {
    wsrt::runtime::Handle::current().metrics().snapshot()
}
