//! No task stalls another: whatever a poll does with its thread, all other tasks go on.
//!
//! These are promises of progress. Each poll here is held until another task was seen to go on, so
//! that a runtime which lets others wait for a stuck poll would wait for ever; [`TIME_LIMIT`] only
//! turns that into a failure.

use std::fs::File;
use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpStream as StdStream;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Handle, Runtime, Stall};
use wsrt::task::{JoinHandle, block_in_place, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{Gate, Manner, in_a_process_with_files, runtime_with, spin_for, text_of, within_a_minute};

/// How long a test waits for others to go on. Below the time for which polls are held.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Runs `check` with one, two and three processors, for polls that sleep and polls that burn.
fn in_each_way(check: impl Fn(usize, Manner) + Send + 'static) {
    within_a_minute(move || {
        for processors in 1..=3 {
            Manner::ALL.into_iter().for_each(|manner| check(processors, manner));
        }
    });
}

/// Holds `count` threads with a poll each, and returns when all are held.
fn hold(runtime: &Runtime, count: usize, manner: Manner) -> (Gate, Vec<JoinHandle<()>>) {
    let gate = Gate::new();
    let (began, has_begun) = channel();
    let tasks = (0..count)
        .map(|_| {
            let (began, hold) = (began.clone(), gate.hold());
            runtime.spawn(async move {
                began.send(()).expect("the test waits");
                hold.wait(manner);
            })
        })
        .collect();
    expect(&has_begun, count, "the poll that holds a processor begins");
    (gate, tasks)
}

fn release(runtime: &Runtime, (gate, tasks): (Gate, Vec<JoinHandle<()>>)) {
    gate.open();
    tasks.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
}

/// Takes `count` messages.
#[track_caller]
fn expect<T>(receiver: &Receiver<T>, count: usize, what: &str) {
    for _ in 0..count {
        assert!(receiver.recv_timeout(TIME_LIMIT).is_ok(), "not within {TIME_LIMIT:?}: {what}");
    }
}

/// Holds the thread until a message comes.
#[track_caller]
fn wait_in(manner: Manner, receiver: &Receiver<()>) {
    match manner {
        Manner::Asleep => expect(receiver, 1, "another task sends"),
        Manner::Burning => {
            let end = Instant::now() + TIME_LIMIT;
            while receiver.try_recv() == Err(TryRecvError::Empty) {
                assert!(Instant::now() < end, "not within {TIME_LIMIT:?}: another task sends");
                std::hint::spin_loop();
            }
        }
    }
}

#[test]
fn a_ticker_goes_on_beside_polls_that_hold_every_processor() {
    in_each_way(|processors, manner| {
        let runtime = runtime_with(processors);
        let (tick, ticks) = channel();
        let ticker = runtime.spawn(async move {
            // Until no listener is left.
            while tick.send(Instant::now()).is_ok() {
                sleep(Duration::from_millis(1)).await;
            }
        });
        let held = hold(&runtime, processors, manner);
        let since = Instant::now();
        let mut later = 0;
        while later < 50 {
            let tick = ticks.recv_timeout(TIME_LIMIT).expect("the ticker goes on");
            later += usize::from(tick > since);
        }
        release(&runtime, held);
        drop(ticks);
        runtime.block_on(ticker).expect("no panic");
    });
}

#[test]
fn a_runnext_task_runs_while_its_waker_is_held() {
    in_each_way(|processors, manner| {
        runtime_with(processors).run(async move {
            let (ran, has_run) = channel();
            let task = wsrt::spawn(async move { ran.send(()).expect("the root waits") });
            wait_in(manner, &has_run);
            task.await.expect("no panic");
        });
    });
}

#[test]
fn runnext_tasks_run_while_all_processors_are_held() {
    in_each_way(|processors, manner| {
        let runtime = runtime_with(processors);
        let tasks: Vec<_> = (0..processors)
            .map(|_| {
                runtime.spawn(async move {
                    let (ran, has_run) = channel();
                    drop(wsrt::spawn(async move { ran.send(()).expect("it waits") }));
                    wait_in(manner, &has_run);
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
    });
}

#[test]
fn polls_that_compute_have_no_more_spares_than_workers() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let most = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..32)
            .map(|_| {
                let (most, metrics) = (Arc::clone(&most), runtime.metrics());
                runtime.spawn(async move {
                    spin_for(Duration::from_millis(15));
                    most.fetch_max(metrics.snapshot().num_spare_processors(), SeqCst);
                })
            })
            .collect();
        runtime.run(async {
            for task in tasks {
                task.await.expect("no panic")
            }
        });
        assert!(most.load(SeqCst) <= 2, "{most:?} spares");
    });
}

/// The spare that took the first task is held by it. A poll that burns has one spare at most.
#[test]
fn a_runnext_task_runs_though_the_spare_is_held_too() {
    within_a_minute(|| {
        for processors in 1..=3 {
            runtime_with(processors).run(async move {
                let gate = Gate::new();
                let (began, has_begun) = channel();
                for _ in 0..=processors {
                    let (began, hold) = (began.clone(), gate.hold());
                    drop(wsrt::spawn(async move {
                        began.send(()).expect("the root waits");
                        hold.wait(Manner::Asleep);
                    }));
                }
                expect(&has_begun, processors + 1, "each task behind the poll begins");
            });
        }
    });
}

/// No thief comes for tasks while it has some of its own.
#[test]
fn tasks_behind_a_poll_run_though_others_yield_for_ever() {
    in_each_way(|processors, manner| {
        runtime_with(processors).run(async move {
            let (began, has_begun) = channel();
            let yields = |_| {
                let began = began.clone();
                wsrt::spawn(async move {
                    began.send(()).expect("the root waits");
                    loop {
                        yield_now().await;
                    }
                })
            };
            let tasks: Vec<_> = (0..8 * processors).map(yields).collect();
            tasks.iter().for_each(|_| wait_in(manner, &has_begun));
            tasks.iter().for_each(JoinHandle::abort);
        });
    });
}

/// More than fit into a ring: some wait in the injector.
#[test]
fn everything_in_the_queues_of_a_held_processor_goes_on() {
    in_each_way(|processors, manner| {
        runtime_with(processors).run(async move {
            let (ran, has_run) = channel();
            for _ in 0..1000 {
                let ran = ran.clone();
                drop(wsrt::spawn(async move {
                    yield_now().await;
                    ran.send(()).expect("the root waits");
                }));
            }
            (0..1000).for_each(|_| wait_in(manner, &has_run));
        });
    });
}

/// A pair of connected sockets: one for std, one for the runtime.
fn connection(runtime: &Runtime) -> (StdStream, TcpStream) {
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let client = StdStream::connect(listener.local_addr().expect("it is bound")).expect("it listens");
        client.set_read_timeout(Some(TIME_LIMIT)).expect("a limit above zero");
        (client, listener.accept().await.expect("a client comes").0)
    })
}

async fn read_one(mut stream: TcpStream) {
    let mut byte = [0];
    assert_eq!(stream.read(&mut byte).await.expect("the test writes"), 1);
}

#[test]
fn an_io_woken_task_may_block_on_another() {
    in_each_way(|processors, manner| {
        let runtime = runtime_with(processors);
        for _ in 0..5 {
            let (mut wake_eater, eater_stream) = connection(&runtime);
            let (mut wake_feeder, feeder_stream) = connection(&runtime);
            let (feed, food) = channel();
            let (blocks, is_blocking) = channel();
            let eater = runtime.spawn(async move {
                read_one(eater_stream).await;
                blocks.send(()).expect("the test waits");
                wait_in(manner, &food);
            });
            let feeder = runtime.spawn(async move {
                read_one(feeder_stream).await;
                feed.send(()).expect("the eater waits");
            });
            wake_eater.write_all(b"x").expect("a socket that is read");
            expect(&is_blocking, 1, "the first is woken");
            wake_feeder.write_all(b"x").expect("a socket that is read");
            runtime.block_on(eater).expect("it is fed");
            runtime.block_on(feeder).expect("no panic");
        }
    });
}

#[test]
fn timers_of_a_blocked_machines_processor_fire() {
    const TIMERS: usize = 100;
    in_each_way(|processors, manner| {
        runtime_with(processors).run(async move {
            let (arm, armed) = channel();
            let (fire, fired) = channel();
            for number in 0..TIMERS {
                let (arm, fire) = (arm.clone(), fire.clone());
                drop(wsrt::spawn(async move {
                    let mut timer = pin!(sleep(Duration::from_millis(number as u64 % 20)));
                    let first = std::future::poll_fn(|context| Poll::Ready(timer.as_mut().poll(context))).await;
                    arm.send(()).expect("the root waits");
                    if first.is_pending() {
                        timer.await;
                    }
                    fire.send(()).expect("the root waits");
                }));
            }
            for _ in 0..TIMERS {
                while armed.try_recv().is_err() {
                    yield_now().await;
                }
            }
            (0..TIMERS).for_each(|_| wait_in(manner, &fired));
        });
    });
}

/// Sends when it is woken: a waker that has nothing to do with a task.
struct Messenger(Sender<()>);

impl Wake for Messenger {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

#[test]
fn a_poll_may_arm_a_timer_and_await_it_blocking() {
    in_each_way(|processors, manner| {
        runtime_with(processors).run(async move {
            let (fire, fired) = channel();
            let waker = Waker::from(Arc::new(Messenger(fire)));
            let mut timer = pin!(sleep(Duration::from_millis(5)));
            if timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                wait_in(manner, &fired);
            }
        });
    });
}

#[test]
fn a_socket_is_served_while_every_processor_is_held() {
    in_each_way(|processors, manner| {
        let runtime = runtime_with(processors);
        let (mut client, mut stream) = connection(&runtime);
        let server = runtime.spawn(async move {
            let mut bytes = [0; 4];
            while stream.read_exact(&mut bytes).await.is_ok() {
                stream.write_all(&bytes).await.expect("the client reads");
            }
        });
        let held = hold(&runtime, processors, manner);
        for round in 0_u32..20 {
            let mut answer = [0; 4];
            client.write_all(&round.to_le_bytes()).expect("the server reads");
            client.read_exact(&mut answer).expect("the server answers while all processors are held");
            assert_eq!(answer, round.to_le_bytes());
        }
        release(&runtime, held);
        drop(client);
        runtime.block_on(server).expect("no panic");
    });
}

#[test]
fn two_hundred_tasks_block_at_once_until_all_have_begun() {
    within_a_minute(|| {
        for processors in [1, 2] {
            let runtime = runtime_with(processors);
            release(&runtime, hold(&runtime, 200, Manner::Asleep));
        }
    });
}

/// Blocks on a task that blocks on a task, and so on, as in a server with too many connections,
/// where tasks may wait for the tasks that would close some.
#[test]
fn others_go_on_when_no_file_can_be_opened() {
    let output = in_a_process_with_files("others_go_on_when_no_file_can_be_opened", "50", || {
        within_a_minute(|| {
            for (processors, manner) in [(1, Manner::Asleep), (2, Manner::Asleep), (1, Manner::Burning)] {
                let (stalled, stalls) = channel();
                let tell = move |stall: &Stall| stalled.send(stall.asleep).expect("the test waits");
                let runtime =
                    Builder::new_multi_thread().worker_threads(processors).on_stall(tell).build().expect("a runtime");
                let files: Vec<_> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
                assert!(!files.is_empty(), "there was room for some");
                let held = hold(&runtime, processors, manner);
                let (ran, has_run) = channel();
                let task = runtime.spawn(async move { ran.send(()).expect("the test waits") });
                expect(&has_run, 1, "another task runs");
                let asleep = stalls.recv_timeout(TIME_LIMIT).expect("and the stall is reported");
                // By its clock alone, a thread that is kept from a core looks asleep too.
                assert!(asleep || manner == Manner::Burning);
                runtime.block_on(task).expect("no panic");
                release(&runtime, held);
            }
        });
    });
    text_of(&output);
}

fn nest(depth: usize) -> usize {
    if depth == 0 {
        return 0;
    }
    Handle::current().block_on(async move { wsrt::spawn(async move { nest(depth - 1) }).await.expect("no panic") }) + 1
}

#[test]
fn block_on_nests_a_hundred_deep_on_one_processor() {
    within_a_minute(|| assert_eq!(runtime_with(1).run(async { nest(100) }), 100));
}

#[test]
fn block_in_place_lets_others_go_on_at_any_depth() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let (ask, mut asked) = tokio::sync::mpsc::unbounded_channel();
            let (answer, answers) = channel();
            let other = wsrt::spawn(async move {
                while let Some(question) = asked.recv().await {
                    answer.send(question + 1).expect("the root waits");
                }
            });
            let round_trip = move |question: i32| {
                ask.send(question).expect("the other listens");
                assert_eq!(answers.recv_timeout(TIME_LIMIT), Ok(question + 1));
            };
            for _ in 0..50 {
                block_in_place(|| {
                    round_trip(1);
                    block_in_place(|| round_trip(2));
                    round_trip(3);
                });
                // And as an ordinary task again.
                round_trip(4);
                yield_now().await;
            }
            drop(round_trip);
            other.await.expect("no panic");
        });
    });
}

/// `block_in_place` and `block_on` in each other, on one processor.
#[test]
fn the_ways_to_block_may_be_mixed() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let answer = block_in_place(|| {
                Handle::current().block_on(async {
                    let (send, receive) = channel();
                    drop(wsrt::spawn(async move { send.send(nest(3)).expect("it waits") }));
                    block_in_place(|| receive.recv_timeout(TIME_LIMIT).expect("the other task runs"))
                })
            });
            assert_eq!(answer, 3);
        });
    });
}
