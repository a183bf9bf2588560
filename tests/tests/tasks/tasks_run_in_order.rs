//! On a current-thread runtime tasks run in the order in which they were spawned and woken, however
//! many there are and wherever the wakes come from.

use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinSet, LocalSet, spawn_local, yield_now};
use wsrt::time::{self, sleep};
use wsrt_tests::within_a_minute;

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// The tasks that have run, in their order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<usize>>>);

impl Log {
    fn note(&self, number: usize) {
        self.0.lock().expect("no panic").push(number);
    }

    /// A future that notes `number` when it is first polled.
    fn noting(&self, number: usize) -> impl Future<Output = ()> + Send + use<> {
        let log = self.clone();
        async move { log.note(number) }
    }

    /// A future that notes `number` when it is polled after a wake, which follows its first poll.
    fn noting_when_woken(&self, number: usize) -> (oneshot::Sender<()>, impl Future<Output = ()> + Send + use<>) {
        let (wake, woken) = oneshot::channel();
        let log = self.clone();
        let future = async move {
            woken.await.expect("it is woken");
            log.note(number);
        };
        (wake, future)
    }

    async fn until(&self, count: usize) {
        while self.0.lock().expect("no panic").len() < count {
            yield_now().await;
        }
    }

    #[track_caller]
    fn assert_is(&self, numbers: impl IntoIterator<Item = usize>) {
        let (log, wanted) = (self.0.lock().expect("no panic").clone(), numbers.into_iter().collect::<Vec<_>>());
        let differs = log.iter().zip(&wanted).position(|(ran, wanted)| ran != wanted);
        assert!(log == wanted, "{} of {} ran, in order but from {differs:?} on: {log:?}", log.len(), wanted.len());
    }
}

#[test]
fn a_root_that_yields_lets_each_task_run_once() {
    current_thread().block_on(async {
        let turns = Rc::new(Cell::new(0));
        let counted = Rc::clone(&turns);
        spawn_local(async move {
            loop {
                counted.set(counted.get() + 1);
                yield_now().await;
            }
        });
        for round in 1..=10 {
            yield_now().await;
            assert!(turns.get() <= round + 1, "{} turns in {round} rounds", turns.get());
        }
        assert!(turns.get() >= 9);
    });
}

#[test]
fn a_root_that_yields_lets_the_waiting_tasks_run() {
    current_thread().block_on(async {
        let log = Log::default();
        for number in 0..40 {
            wsrt::spawn(log.noting(number));
        }
        yield_now().await;
        log.assert_is(0..40);
    });
}

/// As a connection does whose response has ended: it wakes the reader of the response, and then
/// the task that returns the connection to its pool.
#[test]
fn a_root_comes_behind_tasks_that_its_waker_has_woken() {
    within_a_minute(|| {
        current_thread().block_on(async {
            let log = Log::default();
            let (wakes, tasks): (Vec<_>, Vec<_>) = (0..40).map(|number| log.noting_when_woken(number)).unzip();
            tasks.into_iter().for_each(|task| drop(wsrt::spawn(task)));
            yield_now().await;
            let (wake_root, root_woken) = oneshot::channel();
            wsrt::spawn(async move {
                wake_root.send(()).expect("the root waits");
                wakes.into_iter().for_each(|wake| wake.send(()).expect("the task waits"));
            });
            root_woken.await.expect("it is sent");
            log.assert_is(0..40);
        });
    });
}

#[test]
fn a_root_lets_sixty_one_tasks_of_a_crowd_run() {
    within_a_minute(|| {
        current_thread().block_on(async {
            let log = Log::default();
            let (theirs, (wake_root, root_woken)) = (log.clone(), oneshot::channel());
            wsrt::spawn(async move {
                wake_root.send(()).expect("the root waits");
                (0..600).for_each(|number| drop(wsrt::spawn(theirs.noting(number))));
            });
            root_woken.await.expect("it is sent");
            log.assert_is(0..61);
        });
    });
}

/// The loop in which the task waits serves the root, too.
#[test]
fn a_root_keeps_its_turn_while_a_task_blocks() {
    within_a_minute(|| {
        let runtime = current_thread();
        let handle = runtime.handle().clone();
        runtime.block_on(async {
            let log = Log::default();
            let (wake, task) = log.noting_when_woken(0);
            wsrt::spawn(task);
            let (wake_root, root_woken) = oneshot::channel();
            let (end, ended) = oneshot::channel();
            let blocked = wsrt::spawn(async move { handle.block_on(ended).expect("it is sent") });
            wsrt::spawn(async move {
                wake_root.send(()).expect("the root waits");
                wake.send(()).expect("the task waits");
            });
            root_woken.await.expect("it is sent");
            log.assert_is([0]);
            end.send(()).expect("the task waits");
            blocked.await.expect("no panic");
        });
    });
}

#[test]
fn tasks_spawned_by_the_root_run_in_order() {
    within_a_minute(|| {
        for count in [10, 1_000] {
            let log = Log::default();
            current_thread().block_on(async {
                (0..count).for_each(|number| drop(wsrt::spawn(log.noting(number))));
                log.until(count).await;
            });
            log.assert_is(0..count);
        }
    });
}

#[test]
fn tasks_spawned_by_a_task_run_behind_it_in_order() {
    within_a_minute(|| {
        for count in [10, 1_000] {
            let log = Log::default();
            let theirs = log.clone();
            current_thread().run(async move {
                (0..count).for_each(|number| drop(wsrt::spawn(theirs.noting(number))));
                yield_now().await;
                theirs.note(count);
            });
            log.assert_is(0..=count);
        }
    });
}

/// Each spawns the next but one, beside others that yield.
#[test]
fn tasks_that_spawn_and_yield_take_their_turns() {
    within_a_minute(|| {
        let log = Log::default();
        current_thread().block_on(async {
            for number in 0..3 {
                let log = log.clone();
                wsrt::spawn(async move {
                    log.note(number);
                    wsrt::spawn(log.noting(number + 10));
                    yield_now().await;
                    log.note(number + 20);
                });
            }
            log.until(9).await;
        });
        log.assert_is([0, 1, 2, 10, 20, 11, 21, 12, 22]);
    });
}

#[test]
fn tasks_woken_by_a_task_run_in_wake_order() {
    within_a_minute(|| {
        const COUNT: usize = 600;
        let log = Log::default();
        let theirs = log.clone();
        current_thread().run(async move {
            let (wakes, tasks): (Vec<_>, Vec<_>) = (0..COUNT).map(|number| theirs.noting_when_woken(number)).unzip();
            let tasks: Vec<_> = tasks.into_iter().map(wsrt::spawn).collect();
            yield_now().await;
            wakes.into_iter().rev().for_each(|wake| wake.send(()).expect("the task waits"));
            for task in tasks {
                task.await.expect("no panic");
            }
        });
        log.assert_is((0..COUNT).rev());
    });
}

/// Tasks that other threads have woken come behind those spawned before, and before those spawned
/// after.
#[test]
fn a_foreign_wake_queues_the_task_where_it_came() {
    within_a_minute(|| {
        for count in [2, 100, 300, 1_000] {
            let log = Log::default();
            current_thread().block_on(async {
                let (wake, task) = log.noting_when_woken(count);
                let (again, second) = log.noting_when_woken(2 * count + 1);
                wsrt::spawn(task);
                wsrt::spawn(second);
                yield_now().await;
                yield_now().await;
                yield_now().await;
                (0..count).for_each(|number| drop(wsrt::spawn(log.noting(number))));
                thread::spawn(move || wake.send(()).expect("the task waits")).join().expect("no panic");
                (count + 1..=2 * count).for_each(|number| drop(wsrt::spawn(log.noting(number))));
                thread::spawn(move || again.send(()).expect("the task waits")).join().expect("no panic");
                wsrt::spawn(log.noting(2 * count + 2));
                log.until(2 * count + 3).await;
            });
            log.assert_is(0..2 * count + 3);
        }
    });
}

#[test]
fn tasks_keep_their_order_between_calls_of_block_on() {
    within_a_minute(|| {
        for count in [10, 1_000] {
            let (runtime, log) = (current_thread(), Log::default());
            runtime.block_on(async {
                (0..count).for_each(|number| drop(wsrt::spawn(log.noting(number))));
            });
            thread::scope(|scope| {
                scope.spawn(|| drop(runtime.spawn(log.noting(count))));
            });
            runtime.block_on(async {
                wsrt::spawn(log.noting(count + 1));
                log.until(count + 2).await;
            });
            log.assert_is(0..count + 2);
        }
    });
}

#[test]
fn timers_of_one_deadline_fire_in_the_order_armed() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().start_paused(true).build().expect("a runtime");
        for count in [2, 10, 1_000] {
            let log = Log::default();
            runtime.block_on(async {
                let mut sleepers = JoinSet::new();
                for number in 0..count {
                    let log = log.clone();
                    sleepers.spawn(async move {
                        sleep(Duration::from_secs(1)).await;
                        log.note(number);
                        // Behind all that were woken with this one.
                        wsrt::spawn(log.noting(count + number)).await.expect("no panic");
                    });
                }
                while let Some(sleeper) = sleepers.join_next().await {
                    sleeper.expect("no panic");
                }
            });
            log.assert_is(0..2 * count);
        }
    });
}

#[test]
fn tasks_woken_by_the_clock_come_behind_waiting_ones() {
    within_a_minute(|| {
        const COUNT: usize = 300;
        let runtime = Builder::new_current_thread().start_paused(true).build().expect("a runtime");
        let log = Log::default();
        runtime.block_on(async {
            for number in 0..COUNT {
                let log = log.clone();
                wsrt::spawn(async move {
                    sleep(Duration::from_secs(1)).await;
                    log.note(COUNT + number);
                });
            }
            for _ in 0..=COUNT {
                yield_now().await;
            }
            (0..COUNT).for_each(|number| drop(wsrt::spawn(log.noting(number))));
            time::advance(Duration::from_secs(1)).await;
            log.until(2 * COUNT).await;
        });
        log.assert_is(0..2 * COUNT);
    });
}

#[test]
fn local_tasks_run_in_order() {
    within_a_minute(|| {
        const COUNT: usize = 600;
        let log = Log::default();
        current_thread().block_on(async {
            let not_send = Rc::new(());
            for number in 0..COUNT {
                let (log, not_send) = (log.clone(), Rc::clone(&not_send));
                spawn_local(async move {
                    log.note(number);
                    drop(not_send);
                });
            }
            log.until(COUNT).await;
        });
        log.assert_is(0..COUNT);
    });
}

#[test]
fn local_tasks_woken_by_another_thread_keep_their_order() {
    within_a_minute(|| {
        for count in [2, 100, 300] {
            let log = Log::default();
            let set = LocalSet::new();
            current_thread().block_on(set.run_until(async {
                let (wake, task) = log.noting_when_woken(count);
                spawn_local(task);
                yield_now().await;
                yield_now().await;
                (0..count).for_each(|number| drop(spawn_local(log.noting(number))));
                thread::spawn(move || wake.send(()).expect("the task waits")).join().expect("no panic");
                (count + 1..=2 * count).for_each(|number| drop(spawn_local(log.noting(number))));
                log.until(2 * count + 1).await;
            }));
            log.assert_is(0..=2 * count);
        }
    });
}

/// Tasks that spawn their successors, more of them than a ring holds, so that there is always one
/// to run.
#[test]
fn no_crowd_holds_off_timers_sockets_or_the_root() {
    within_a_minute(|| {
        current_thread().block_on(async {
            fn go_on() {
                wsrt::spawn(async { go_on() });
            }
            (0..600).for_each(|_| go_on());
            sleep(Duration::from_millis(5)).await;
            wsrt::spawn(sleep(Duration::from_millis(5))).await.expect("no panic");
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            let server = wsrt::spawn(async move {
                let (mut stream, _) = listener.accept().await.expect("a client comes");
                let mut buffer = [0; 4];
                stream.read_exact(&mut buffer).await.expect("the client writes");
                stream.write_all(&buffer).await.expect("the client reads");
            });
            let mut client = TcpStream::connect(address).await.expect("it listens");
            client.write_all(b"ping").await.expect("the server reads");
            client.read_exact(&mut [0; 4]).await.expect("the server writes");
            server.await.expect("no panic");
            let (wake, woken) = oneshot::channel();
            let outside = thread::spawn(move || wake.send(()).expect("the task waits"));
            wsrt::spawn(woken).await.expect("no panic").expect("it is sent");
            outside.join().expect("no panic");
        });
    });
}
