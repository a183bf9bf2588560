//! `block_in_place` hands the processor over: the tasks that wait on it run elsewhere while the
//! closure blocks.

use std::future::{Future, pending};
use std::io::{Read, Write};
use std::net::TcpStream as StdStream;
use std::pin::pin;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::TcpListener;
use wsrt::runtime::Builder;
use wsrt::task::{block_in_place, coop, try_id, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, count_threads, runtime_with, within_a_minute};

#[test]
fn a_task_may_block_for_another_on_the_same_processor() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let answer = runtime.run(async {
            let (send, receive) = channel();
            // It waits in runnext while the root blocks.
            wsrt::spawn(async move { send.send(7).expect("the root waits") });
            block_in_place(|| receive.recv_timeout(LIMIT).expect("the other task runs"))
        });
        assert_eq!(answer, 7);
    });
}

#[test]
fn everything_in_the_ring_goes_on() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let sum = runtime.run(async {
            let (send, receive) = channel();
            for number in 0..500 {
                let send = send.clone();
                wsrt::spawn(async move {
                    yield_now().await;
                    send.send(number).expect("the root waits");
                });
            }
            block_in_place(|| (0..500).map(|_| receive.recv_timeout(LIMIT).expect("they run")).sum::<i32>())
        });
        assert_eq!(sum, 499 * 500 / 2);
    });
}

#[test]
fn timers_sockets_and_foreign_tasks_are_served_meanwhile() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let handle = runtime.handle().clone();
        runtime.run(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            wsrt::spawn(async move {
                let (mut stream, _) = listener.accept().await.expect("a client comes");
                stream.write_all(b"served").await.expect("the client reads");
            });
            let (woken, is_woken) = channel();
            wsrt::spawn(async move {
                sleep(Duration::from_millis(5)).await;
                woken.send(()).expect("the root waits");
            });
            block_in_place(|| {
                let mut greeting = [0; 6];
                let mut client = StdStream::connect(address).expect("it listens");
                client.read_exact(&mut greeting).expect("the socket is served");
                assert_eq!(&greeting, b"served");
                client.flush().expect("it is a socket");
                is_woken.recv_timeout(LIMIT).expect("the timer fires");
                let (ran, has_run) = channel();
                thread::spawn(move || drop(handle.spawn(async move { ran.send(()) }))).join().expect("no panic");
                has_run.recv_timeout(LIMIT).expect("the foreign task runs");
            });
        });
    });
}

#[test]
fn the_task_goes_on_as_one_afterwards() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        runtime.run(async {
            let id = try_id();
            for round in 0..200 {
                block_in_place(thread::yield_now);
                assert_eq!(try_id(), id);
                assert_eq!(wsrt::spawn(async move { round }).await.expect("no panic"), round);
                sleep(Duration::ZERO).await;
            }
        });
    });
}

#[test]
fn many_tasks_may_block_at_once() {
    within_a_minute(|| {
        const TASKS: usize = 30;
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("many-block").build().expect("a runtime");
        let (began, has_begun) = channel();
        let blockers: Vec<_> = (0..TASKS)
            .map(|number| {
                let began = began.clone();
                let (release, released) = channel::<()>();
                let task = runtime.spawn(async move {
                    block_in_place(|| {
                        began.send(()).expect("the test waits");
                        assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
                    });
                    number
                });
                (task, release)
            })
            .collect();
        (0..TASKS).for_each(|_| has_begun.recv_timeout(LIMIT).expect("each begins while the others block"));
        assert!(count_threads("many-block") >= TASKS, "one machine each");
        assert_eq!(runtime.run(async { 7 }), 7);
        for (number, (task, release)) in blockers.into_iter().enumerate() {
            drop(release);
            assert_eq!(runtime.block_on(task).expect("no panic"), number);
        }
    });
}

/// Machines beyond the number of processors end when they had nothing to do for the keep-alive
/// time.
#[test]
fn surplus_machines_end() {
    within_a_minute(|| {
        let (stopped, is_stopped) = channel();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_keep_alive(Duration::from_millis(20))
            .on_thread_stop(move || {
                let _ = stopped.send(());
            })
            .build()
            .expect("a runtime");
        let (release, released) = channel::<()>();
        let (began, has_begun) = channel();
        let task = runtime.spawn(async move {
            block_in_place(|| {
                began.send(()).expect("the test waits");
                assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
            });
        });
        has_begun.recv_timeout(LIMIT).expect("it begins");
        assert_eq!(runtime.run(async { 7 }), 7, "a second machine has the processor");
        drop(release);
        runtime.block_on(task).expect("no panic");
        is_stopped.recv_timeout(LIMIT).expect("one of the two machines ends");
        assert_eq!(runtime.run(async { 8 }), 8);
    });
}

#[test]
fn it_nests() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let answer = runtime.run(async {
            block_in_place(|| {
                block_in_place(|| {
                    let (send, receive) = channel();
                    wsrt::spawn(async move { send.send(7).expect("the root waits") });
                    receive.recv_timeout(LIMIT).expect("the other task runs")
                })
            })
        });
        assert_eq!(answer, 7);
    });
}

/// A call that hands nothing over takes nothing back: the machines that
/// serve the processor keep it.
#[test]
fn a_call_without_a_processor_does_not_get_one() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let answer = runtime.run(async {
            block_in_place(|| {
                // Again and again, until the processor has long been handed over and gone idle.
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(20) {
                    block_in_place(thread::yield_now);
                }
                let (send, receive) = channel();
                wsrt::spawn(async move { send.send(7).expect("the root waits") });
                receive.recv_timeout(LIMIT).expect("the other task runs")
            })
        });
        assert_eq!(answer, 7);

        let job = runtime.spawn_blocking(|| block_in_place(thread::yield_now));
        runtime.block_on(job).expect("no panic");
        assert_eq!(runtime.run(async { 8 }), 8, "the thread of the job has not kept the processor");
    });
}

/// Where there is no processor to hand over, the closure is just called.
#[test]
fn elsewhere_it_just_calls() {
    within_a_minute(|| {
        assert_eq!(block_in_place(|| 1), 1, "outside a runtime");
        let runtime = runtime_with(1);
        assert_eq!(runtime.block_on(async { block_in_place(|| 2) }), 2, "beside the processors");
        let job = runtime.spawn_blocking(|| block_in_place(|| 3));
        assert_eq!(runtime.block_on(job).expect("no panic"), 3, "on the blocking pool");
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let task = runtime.spawn(async { block_in_place(|| 4) });
        assert_eq!(runtime.block_on(task).expect("no panic"), 4, "on a current-thread runtime");
    });
}

/// The runtime may end while a task blocks: it waits for the poll, and drops the task.
/// An executor in there polls again when it is woken, and gives no turn to others by that.
#[test]
fn it_has_no_budget() {
    within_a_minute(|| {
        let spends = |n| async move {
            for _ in 0..n {
                coop::consume_budget().await;
            }
        };
        let task = || async move {
            spends(100).await;
            block_in_place(|| assert!(poll_once(spends(1000)).is_ready()));
            assert!(poll_once(spends(28)).is_ready(), "the task has as much left as before");
            assert!(!coop::has_budget_remaining());
        };
        for runtime in [runtime_with(1), Builder::new_current_thread().build().expect("a runtime")] {
            runtime.block_on(runtime.spawn(task())).expect("no panic");
        }
    });
}

fn poll_once(future: impl Future) -> Poll<()> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).map(drop)
}

#[test]
fn the_runtime_may_end_while_a_task_blocks() {
    within_a_minute(|| {
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name("block-and-end").build().expect("a runtime");
        let (release, released) = channel::<()>();
        let (began, has_begun) = channel();
        let task = runtime.spawn(async move {
            block_in_place(|| {
                began.send(()).expect("the test waits");
                assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
            });
            pending::<()>().await;
        });
        has_begun.recv_timeout(LIMIT).expect("it begins");
        runtime.shutdown_timeout(Duration::from_millis(1));
        assert!(!task.is_finished());
        drop(release);
        let other = Builder::new_current_thread().build().expect("a runtime");
        assert!(other.block_on(task).expect_err("it never ended by itself").is_cancelled());
    });
}
