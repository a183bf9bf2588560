//! Panics stay inside: each ends its own task, whose handle reports it, and all other tasks go on.

use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinError, JoinSet, LocalSet, block_in_place, spawn_local, yield_now};
use wsrt::time::{Instant, sleep_until};
use wsrt_tests::{LIMIT, panic_message, within_a_minute};

fn one_processor() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().expect("a runtime")
}

/// The processor goes on.
#[track_caller]
fn assert_works(runtime: &Runtime) {
    assert_eq!(runtime.run(async { wsrt::spawn(async { 7 }).await.expect("no panic") }), 7);
}

#[track_caller]
fn assert_message(error: JoinError, message: &str) {
    assert!(error.is_panic() && !error.is_cancelled(), "{error}");
    assert!(error.to_string().ends_with(&format!("panicked with message {message:?}")), "{error}");
}

/// Panics when dropped.
struct Bomb(&'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("{}", self.0);
    }
}

/// Holds a bomb, and is ready at its second poll or never.
struct Armed {
    _bomb: Bomb,
    polls_left: usize,
}

impl Future for Armed {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.polls_left == 0 {
            return Poll::Ready(());
        }
        self.polls_left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[test]
fn in_a_poll() {
    within_a_minute(|| {
        let runtime = one_processor();
        for _ in 0..100 {
            let task = runtime.spawn(async {
                yield_now().await;
                panic!("in a poll");
            });
            assert_message(runtime.block_on(task).expect_err("it panics"), "in a poll");
        }
        assert_works(&runtime);
    });
}

#[test]
fn in_the_drop_of_a_future_that_was_aborted() {
    within_a_minute(|| {
        let runtime = one_processor();
        let (waits, is_waiting) = channel();
        let task = runtime.spawn(async move {
            let _bomb = Bomb("in a drop");
            waits.send(()).expect("the test waits");
            pending::<()>().await;
        });
        is_waiting.recv_timeout(LIMIT).expect("it starts");
        task.abort();
        assert_message(runtime.block_on(task).expect_err("it panics"), "in a drop");
        assert_works(&runtime);
    });
}

#[test]
fn in_the_drop_of_a_future_that_is_done() {
    within_a_minute(|| {
        let runtime = one_processor();
        let task = runtime.spawn(Armed { _bomb: Bomb("done, and dropped"), polls_left: 3 });
        // Which of the two it reports is unspecified; it reports one, and the panic goes no
        // further.
        let _ = runtime.block_on(task);
        assert_works(&runtime);
    });
}

#[test]
fn in_the_drop_of_a_detached_output() {
    within_a_minute(|| {
        let runtime = one_processor();
        for _ in 0..100 {
            let (ready, is_ready) = channel();
            drop(runtime.spawn(async move {
                ready.send(()).expect("the test waits");
                Bomb("an output")
            }));
            is_ready.recv_timeout(LIMIT).expect("it runs");
        }
        assert_works(&runtime);
    });
}

#[test]
fn in_the_drop_of_a_handle_with_such_an_output() {
    within_a_minute(|| {
        let runtime = one_processor();
        let task = runtime.spawn(async { Bomb("an output in its handle") });
        while !task.is_finished() {
            std::thread::yield_now();
        }
        // "A panic in the drop of such an output is caught": see `JoinHandle`.
        drop(task);
        assert_works(&runtime);
    });
}

#[test]
fn in_a_blocking_job() {
    within_a_minute(|| {
        let runtime = one_processor();
        for _ in 0..100 {
            let job = runtime.spawn_blocking(|| panic!("in a job"));
            assert_message(runtime.block_on(job).expect_err("it panics"), "in a job");
        }
        // The one thread that the pool may have goes on.
        assert_eq!(runtime.block_on(runtime.spawn_blocking(|| 7)).expect("no panic"), 7);
    });
}

#[test]
fn in_block_in_place() {
    within_a_minute(|| {
        let runtime = one_processor();
        let task = runtime.spawn(async {
            let caught = catch_unwind(|| block_in_place(|| panic!("caught")));
            assert!(caught.is_err());
            yield_now().await;
            block_in_place(|| panic!("not caught"));
        });
        assert_message(runtime.block_on(task).expect_err("it panics"), "not caught");
        assert_works(&runtime);
    });
}

#[test]
fn the_payload_comes_out_as_it_went_in() {
    within_a_minute(|| {
        let runtime = one_processor();
        let task = runtime.spawn(async { std::panic::panic_any(vec![1, 2, 3]) });
        let error = runtime.block_on(task).expect_err("it panics");
        assert!(error.to_string().ends_with(" panicked"), "{error}");
        assert_eq!(error.into_panic().downcast_ref(), Some(&vec![1, 2, 3]));
    });
}

#[test]
fn a_panic_of_the_root_goes_to_the_caller() {
    within_a_minute(|| {
        let runtime = one_processor();
        assert_eq!(panic_message(|| runtime.run(async { panic!("the root of run") })), "the root of run");
        assert_eq!(panic_message(|| runtime.block_on(async { panic!("of block_on") })), "of block_on");
        assert_works(&runtime);

        let runtime = Builder::new_current_thread().build().expect("a runtime");
        assert_eq!(panic_message(|| runtime.block_on(async { panic!("on this thread") })), "on this thread");
        assert_eq!(runtime.block_on(wsrt_join(&runtime)), 7);
    });
}

async fn wsrt_join(runtime: &Runtime) -> i32 {
    runtime.spawn(async { 7 }).await.expect("no panic")
}

#[test]
fn in_a_waker_that_a_task_wakes() {
    struct Rude;

    impl std::task::Wake for Rude {
        fn wake(self: std::sync::Arc<Self>) {
            panic!("a waker that panics");
        }
    }

    within_a_minute(|| {
        let runtime = one_processor();
        let (go, went) = tokio::sync::oneshot::channel::<()>();
        let mut task = runtime.spawn(async move { went.await.expect("it is sent") });
        let waker = std::task::Waker::from(std::sync::Arc::new(Rude));
        assert!(Pin::new(&mut task).poll(&mut Context::from_waker(&waker)).is_pending());
        go.send(()).expect("the task waits");
        // The task completes, and wakes the task that awaits its handle.
        while !task.is_finished() {
            std::thread::yield_now();
        }
        assert_works(&runtime);
        runtime.block_on(task).expect("the task itself did not panic");
    });
}

/// Such a waker is woken by the loop itself, with others behind it in the same batch.
#[test]
fn in_a_waker_that_a_timer_wakes() {
    struct Rude;

    impl std::task::Wake for Rude {
        fn wake(self: std::sync::Arc<Self>) {
            panic!("a waker that panics");
        }
    }

    async fn sleep_beside_rude_ones() {
        let rude = std::task::Waker::from(std::sync::Arc::new(Rude));
        // Far enough to be armed before it, however busy the day.
        let deadline = Instant::now() + Duration::from_millis(200);
        let arm = || {
            let mut timer = Box::pin(sleep_until(deadline));
            assert!(timer.as_mut().poll(&mut Context::from_waker(&rude)).is_pending());
            timer
        };
        let _before = arm();
        let last = wsrt::spawn(sleep_until(deadline));
        let _between = arm();
        sleep_until(deadline + Duration::from_millis(1)).await;
        last.await.expect("no panic");
    }

    within_a_minute(|| {
        let runtime = one_processor();
        runtime.run(sleep_beside_rude_ones());
        runtime.block_on(sleep_beside_rude_ones());
        assert_works(&runtime);
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(sleep_beside_rude_ones());
        assert_eq!(runtime.block_on(wsrt_join(&runtime)), 7);
    });
}

#[test]
fn many_at_once_lose_nothing() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let (panicked, fine) = runtime.run(async {
            let tasks: Vec<_> = (0..1_000)
                .map(|number| {
                    wsrt::spawn(async move {
                        for _ in 0..number % 5 {
                            yield_now().await;
                        }
                        assert!(number % 2 == 0, "an odd one (on purpose)");
                    })
                })
                .collect();
            let (mut panicked, mut fine) = (0, 0);
            for task in tasks {
                match task.await {
                    Ok(()) => fine += 1,
                    Err(error) => panicked += usize::from(error.is_panic()),
                }
            }
            (panicked, fine)
        });
        assert_eq!((panicked, fine), (500, 500));
    });
}

#[test]
fn a_task_that_panicked_is_not_polled_again() {
    within_a_minute(|| {
        let runtime = one_processor();
        let mut polls = 0;
        let task = runtime.spawn(poll_fn(move |context| -> Poll<()> {
            polls += 1;
            context.waker().wake_by_ref();
            panic!("poll {polls}");
        }));
        assert_message(runtime.block_on(task).expect_err("it panics"), "poll 1");
        let caught = catch_unwind(AssertUnwindSafe(|| assert_works(&runtime)));
        assert!(caught.is_ok());
    });
}

/// Panics at its second poll, and records when it is dropped whether its thread is panicking.
struct Telltale {
    polls: usize,
    tell: Sender<bool>,
}

impl Future for Telltale {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.polls += 1;
        assert!(self.polls < 2, "told");
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Telltale {
    fn drop(&mut self) {
        let _ = self.tell.send(thread::panicking());
    }
}

/// Like a value on a stack, so that a lock held across an await is poisoned, and destructors see
/// the panic.
#[test]
fn a_future_that_panics_is_dropped_while_its_thread_panics() {
    within_a_minute(|| {
        let (tell, told) = channel();
        let telltale = || Telltale { polls: 0, tell: tell.clone() };
        let assert_told = |place: &str| {
            assert_eq!(told.recv_timeout(LIMIT), Ok(true), "{place}");
            assert!(!thread::panicking() && told.try_recv().is_err(), "{place}");
        };
        let current_thread = || Builder::new_current_thread().build().expect("a runtime");
        for runtime in [one_processor(), current_thread()] {
            assert!(runtime.block_on(runtime.spawn(telltale())).expect_err("it panics").is_panic());
            assert_told("spawn");
            assert_eq!(panic_message(|| runtime.block_on(telltale())), "told");
            assert_told("block_on");
            assert_eq!(panic_message(|| runtime.run(telltale())), "told");
            assert_told("run");
            let mut set = JoinSet::new();
            set.spawn_on(telltale(), runtime.handle());
            assert!(runtime.block_on(set.join_next()).expect("one task").expect_err("it panics").is_panic());
            assert_told("JoinSet");
            let local = LocalSet::new();
            let task = local.spawn_local(telltale());
            assert!(local.block_on(&runtime, task).expect_err("it panics").is_panic());
            assert_told("LocalSet");
            assert_eq!(panic_message(|| local.block_on(&runtime, telltale())), "told");
            assert_told("run_until");
        }
        let error = current_thread().block_on(async { spawn_local(telltale()).await.expect_err("it panics") });
        assert!(error.is_panic());
        assert_told("spawn_local");
    });
}

#[test]
fn a_lock_held_across_await_is_poisoned_by_a_panic() {
    #[expect(dead_code, reason = "it is there to be dropped")]
    struct Holding<'a>(MutexGuard<'a, ()>);
    static LOCK: Mutex<()> = Mutex::new(());
    impl Future for Holding<'_> {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            panic!("with the lock held");
        }
    }
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let holding = Holding(LOCK.lock().expect("nobody has panicked yet"));
        let error = runtime.block_on(async { spawn_local(holding).await.expect_err("it panics") });
        assert!(error.is_panic());
        assert!(LOCK.is_poisoned());
    });
}

#[test]
fn a_second_panic_while_dropping_a_future_is_held_back() {
    #[expect(dead_code, reason = "it is there to be dropped")]
    struct Twice(Bomb);
    impl Future for Twice {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            panic!("first");
        }
    }
    within_a_minute(|| {
        let runtime = one_processor();
        assert_message(runtime.block_on(runtime.spawn(Twice(Bomb("second")))).expect_err("it panics"), "first");
        assert_works(&runtime);
    });
}
