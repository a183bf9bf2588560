//! A paused clock stands until it is moved, by hand or because nothing else is left to do.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinSet, spawn_blocking, yield_now};
use wsrt::time::{self, Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};
use wsrt_tests::{LIMIT, panic_message, within_a_minute};

const HOUR: Duration = Duration::from_secs(3_600);
const SECOND: Duration = Duration::from_secs(1);

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

fn paused() -> Runtime {
    Builder::new_current_thread().start_paused(true).build().expect("a runtime")
}

#[wsrt::test(start_paused = true)]
async fn a_test_may_start_with_its_clock_paused() {
    let (began, really) = (Instant::now(), std::time::Instant::now());
    sleep(24 * HOUR).await;
    assert_eq!(began.elapsed(), 24 * HOUR, "to the nanosecond");
    assert!(really.elapsed() < LIMIT);
}

#[test]
fn the_time_stands_while_there_is_something_to_do() {
    within_a_minute(|| {
        paused().block_on(async {
            let began = Instant::now();
            let sleeper = wsrt::spawn(sleep(SECOND));
            for _ in 0..10_000 {
                yield_now().await;
            }
            thread::sleep(Duration::from_millis(2));
            assert_eq!(Instant::now(), began);
            assert!(!sleeper.is_finished());
            sleeper.await.expect("no panic");
            assert_eq!(began.elapsed(), SECOND);
        });
    });
}

#[test]
fn an_idle_runtime_goes_from_deadline_to_deadline() {
    within_a_minute(|| {
        paused().block_on(async {
            let began = Instant::now();
            let order = Arc::new(Mutex::new(Vec::new()));
            let mut sleepers = JoinSet::new();
            for seconds in [5, 1, 4, 2, 3] {
                let order = Arc::clone(&order);
                sleepers.spawn(async move {
                    sleep(seconds * SECOND).await;
                    order.lock().expect("no panic").push((seconds, began.elapsed()));
                });
            }
            while let Some(sleeper) = sleepers.join_next().await {
                sleeper.expect("no panic");
            }
            let order = order.lock().expect("no panic").clone();
            assert_eq!(order, [1, 2, 3, 4, 5].map(|seconds| (seconds, seconds * SECOND)));
        });
    });
}

#[test]
fn a_cancelled_or_postponed_timer_moves_no_clock() {
    within_a_minute(|| {
        paused().block_on(async {
            let began = Instant::now();
            let mut put_off = Box::pin(sleep(SECOND));
            assert!(timeout(Duration::ZERO, put_off.as_mut()).await.is_err());
            put_off.as_mut().reset(began + HOUR);
            assert_eq!(timeout(10 * SECOND, async { 7 }).await, Ok(7));
            assert!(timeout(2 * SECOND, sleep(3 * SECOND)).await.is_err());
            assert_eq!(began.elapsed(), 2 * SECOND);
            // The sleep of three seconds is gone. A job on another thread sees the clock stand;
            // then an hour passes at once.
            let seen = spawn_blocking(Instant::now).await.expect("no panic");
            assert_eq!(seen - began, 2 * SECOND);
            put_off.await;
            assert_eq!(began.elapsed(), HOUR);
        });
    });
}

#[test]
fn the_clock_waits_for_blocking_jobs() {
    within_a_minute(|| {
        paused().block_on(async {
            let began = Instant::now();
            let (release, released) = mpsc::channel::<()>();
            let job = spawn_blocking(move || {
                released.recv().expect("the test releases it");
                Instant::now()
            });
            let outside = thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                release.send(()).expect("the job waits");
            });
            // The timeout would be first, were the clock to jump.
            let saw = timeout(SECOND, job).await.expect("it does not jump over the job").expect("no panic");
            assert_eq!(saw, began);
            outside.join().expect("no panic");

            // A job without a waiter holds it up no longer than it takes.
            let ended = Arc::new(AtomicUsize::new(0));
            drop(spawn_blocking({
                let ended = Arc::clone(&ended);
                move || {
                    thread::sleep(Duration::from_millis(20));
                    ended.fetch_add(1, SeqCst);
                }
            }));
            sleep(SECOND).await;
            assert_eq!(ended.load(SeqCst), 1);
            assert_eq!(began.elapsed(), SECOND);
        });
    });
}

#[test]
fn another_threads_wake_is_seen_while_no_timer_waits() {
    within_a_minute(|| {
        paused().block_on(async {
            let began = Instant::now();
            let (sender, receiver) = tokio::sync::oneshot::channel();
            let outside = thread::spawn(move || {
                thread::sleep(Duration::from_millis(5));
                sender.send(7).expect("it is waited for");
            });
            assert_eq!(receiver.await, Ok(7));
            assert_eq!(Instant::now(), began);
            outside.join().expect("no panic");
        });
    });
}

#[test]
fn advance_fires_what_is_due_in_the_order_of_deadlines() {
    within_a_minute(|| {
        for from_a_task in [false, true] {
            let body = async {
                let began = Instant::now();
                let order = Arc::new(Mutex::new(Vec::new()));
                for seconds in [3_u32, 1, 2, 30] {
                    let order = Arc::clone(&order);
                    drop(wsrt::spawn(async move {
                        sleep_until(began + seconds * SECOND).await;
                        order.lock().expect("no panic").push((seconds, began.elapsed()));
                    }));
                }
                time::advance(Duration::ZERO).await;
                assert_eq!(*order.lock().expect("no panic"), []);
                time::advance(10 * SECOND).await;
                // One step: all see the clock where it is now.
                assert_eq!(*order.lock().expect("no panic"), [1, 2, 3].map(|seconds| (seconds, 10 * SECOND)));
                assert_eq!(began.elapsed(), 10 * SECOND);
                time::advance(19_999 * SECOND / 1_000).await;
                assert_eq!(order.lock().expect("no panic").len(), 3, "a millisecond is missing");
                time::advance(SECOND / 1_000).await;
                assert_eq!(order.lock().expect("no panic").len(), 4);
            };
            let runtime = paused();
            if from_a_task { runtime.run(body) } else { runtime.block_on(body) }
        }
    });
}

#[test]
fn advance_lets_every_task_it_wakes_run() {
    within_a_minute(|| {
        paused().block_on(async {
            let few = woken_by_one_step(100).await;
            assert!(few.iter().copied().eq(0..100), "in the order of their deadlines: {few:?}");
            let mut many = woken_by_one_step(10_000).await;
            many.sort_unstable();
            assert!(many.into_iter().eq(0..10_000));
        });
    });
}

/// The numbers of `sleepers` tasks as they had their turns, when `advance` has gone beyond their
/// deadlines.
async fn woken_by_one_step(sleepers: usize) -> Vec<usize> {
    let began = Instant::now();
    let turns = Arc::new(Mutex::new(Vec::new()));
    let asleep = Arc::new(AtomicUsize::new(0));
    for number in 0..sleepers {
        let (turns, asleep) = (Arc::clone(&turns), Arc::clone(&asleep));
        drop(wsrt::spawn(async move {
            asleep.fetch_add(1, SeqCst);
            sleep_until(began + SECOND + Duration::from_nanos(number as u64)).await;
            turns.lock().expect("no panic").push(number);
        }));
    }
    while asleep.load(SeqCst) < sleepers {
        yield_now().await;
    }
    time::advance(2 * SECOND).await;
    let turns = turns.lock().expect("no panic");
    turns.clone()
}

#[test]
fn intervals_follow_the_clock() {
    within_a_minute(|| {
        paused().block_on(async {
            let began = Instant::now();
            let mut ticks = interval(SECOND);
            for number in 0..100 {
                assert_eq!(ticks.tick().await, began + number * SECOND);
            }
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            time::advance(10 * SECOND + SECOND / 2).await;
            assert_eq!(ticks.tick().await, began + 100 * SECOND);
            assert_eq!(ticks.tick().await, began + 110 * SECOND);
        });
    });
}

#[test]
fn a_resumed_clock_goes_on_from_where_it_was() {
    within_a_minute(|| {
        current_thread().block_on(async {
            time::pause();
            let began = Instant::now();
            sleep(HOUR).await;
            time::resume();
            let really = std::time::Instant::now();
            assert!(began.elapsed() >= HOUR);
            sleep(Duration::from_millis(5)).await;
            assert!(really.elapsed() >= Duration::from_millis(5), "it waits again");
            assert!(began.elapsed() >= HOUR + Duration::from_millis(5));
            time::pause();
            sleep(HOUR).await;
            assert!(began.elapsed() >= 2 * HOUR);
            assert!(really.elapsed() < LIMIT);
        });
    });
}

#[test]
fn others_are_not_affected() {
    within_a_minute(|| {
        let paused = paused();
        let other = current_thread();
        paused.block_on(async {
            time::advance(HOUR).await;
            let here = Instant::now();
            assert!(here.into_std() > std::time::Instant::now() + HOUR / 2);

            // A plain thread, and another runtime on it.
            let elsewhere = thread::spawn(move || {
                let plain = Instant::now();
                let there = other.block_on(async {
                    sleep(Duration::from_millis(2)).await;
                    Instant::now()
                });
                (plain, there)
            });
            let (plain, there) = elsewhere.join().expect("no panic");
            assert!(plain + HOUR / 2 < here && there + HOUR / 2 < here);
            assert!(there - plain >= Duration::from_millis(2));

            // A second runtime within the first, and back.
            let inner = current_thread().block_on(async { Instant::now() });
            assert!(inner + HOUR / 2 < here);
            assert_eq!(Instant::now(), here);
        });
    });
}

#[test]
fn the_network_works_while_the_clock_stands() {
    within_a_minute(|| {
        paused().block_on(async {
            let listener = wsrt::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
            let address = listener.local_addr().expect("it has one");
            let server = wsrt::spawn(async move {
                let (mut stream, _) = listener.accept().await.expect("a client comes");
                stream.write_all(b"late").await.expect("it listens");
            });
            let mut stream = wsrt::net::TcpStream::connect(address).await.expect("it listens");
            let mut text = String::new();
            stream.read_to_string(&mut text).await.expect("it says something");
            assert_eq!(text, "late");
            server.await.expect("no panic");
        });
    });
}

#[test]
fn hypers_timer_goes_by_the_same_clock() {
    use hyper::rt::Timer;
    within_a_minute(|| {
        paused().block_on(async {
            let timer = wsrt_hyper::WsrtTimer;
            let began = timer.now();
            timer.sleep(HOUR).await;
            assert_eq!(timer.now() - began, HOUR);
            time::advance(HOUR).await;
            assert_eq!(timer.now() - began, 2 * HOUR);
        });
    });
}

#[test]
fn a_wait_without_end_is_not_ended_by_the_clock() {
    within_a_minute(|| {
        paused().block_on(async {
            assert!(timeout(Duration::from_secs(100 * 365 * 24 * 3_600), pending::<()>()).await.is_err());
        });
    });
}

#[test]
fn an_impossible_clock_change_is_refused_with_a_reason() {
    within_a_minute(|| {
        let outside = panic_message(time::pause);
        assert!(outside.contains("`time::pause` was called outside a wsrt runtime"), "{outside}");

        let several = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let message = panic_message(|| several.block_on(async { time::pause() }));
        assert!(message.contains("`time::pause` needs a current-thread runtime"), "{message}");
        let message = panic_message(|| several.block_on(time::advance(SECOND)));
        assert!(message.contains("`time::advance` needs a current-thread runtime"), "{message}");

        let error = Builder::new_multi_thread().start_paused(true).build().expect_err("it cannot be paused");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("`start_paused(true)` needs a current-thread runtime"), "{error}");

        let goes = current_thread();
        let message = panic_message(|| goes.block_on(async { time::resume() }));
        assert!(message.contains("`time::resume`: the clock is not paused"), "{message}");
        let message = panic_message(|| goes.block_on(time::advance(SECOND)));
        assert!(message.contains("`time::advance`: the clock is not paused"), "{message}");

        let stands = paused();
        let message = panic_message(|| stands.block_on(async { time::pause() }));
        assert!(message.contains("the clock is paused already"), "{message}");
        let message = panic_message(|| stands.block_on(time::advance(Duration::MAX)));
        assert!(message.contains("the clock cannot count"), "{message}");
        // And it works still.
        stands.block_on(sleep(HOUR));
    });
}
