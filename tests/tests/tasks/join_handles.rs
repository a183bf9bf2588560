//! A join handle returns its task's output, or the reason why there is none; and it can abort the
//! task.

use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Waker};

use tokio::sync::oneshot;
use tokio_test::assert_pending;
use wsrt::runtime::Builder;
use wsrt::task::{self, JoinSet, yield_now};
use wsrt_tests::{LIMIT, Roll, panic_message, two_processors, within_a_minute};

#[test]
fn the_output_comes_through_once() {
    within_a_minute(|| {
        let runtime = two_processors();
        let mut handle = runtime.spawn(async { String::from("output") });
        assert_eq!(runtime.block_on(&mut handle).expect("no panic"), "output");
        let message = panic_message(|| runtime.block_on(&mut handle));
        assert_eq!(
            message,
            format!("the `JoinHandle` of task {} was polled after it had returned its result", handle.id())
        );
    });
}

#[test]
fn awaiting_by_reference_may_be_given_up_and_tried_again() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (go, went) = oneshot::channel::<()>();
        let mut handle = runtime.spawn(async { went.await.map(|()| 7) });
        runtime.block_on(async {
            for _ in 0..100 {
                assert_pending!(tokio_test::task::spawn(&mut handle).poll());
            }
            assert!(!handle.is_finished());
            go.send(()).expect("the task waits");
            assert_eq!(handle.await.expect("no panic"), Ok(7));
        });
    });
}

#[test]
fn a_dropped_handle_detaches_its_task() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (go, went) = oneshot::channel::<()>();
        let (done, is_done) = channel();
        drop(runtime.spawn(async move {
            went.await.expect("it is sent");
            done.send(()).expect("the test waits");
        }));
        go.send(()).expect("the task lives");
        is_done.recv_timeout(LIMIT).expect("the task runs on");
    });
}

#[test]
fn the_output_is_dropped_once_whoever_lets_go_last() {
    within_a_minute(|| {
        const TASKS: usize = 2_000;
        let runtime = two_processors();
        let roll = Roll::new(TASKS);
        for index in 0..TASKS {
            let entry = roll.entry(index);
            let handle = runtime.spawn(async move { entry });
            match index % 3 {
                0 => drop(handle),
                1 => drop(runtime.block_on(handle)),
                _ => {
                    handle.abort();
                    drop(handle);
                }
            }
        }
        drop(runtime);
        roll.assert_each_dropped_once();
    });
}

#[test]
fn abort_drops_the_future_where_it_waits() {
    within_a_minute(|| {
        let runtime = two_processors();
        let roll = Roll::new(1);
        let entry = roll.entry(0);
        let (waits, is_waiting) = channel();
        let handle = runtime.spawn(async move {
            let _entry = entry;
            waits.send(()).expect("the test waits");
            pending::<()>().await;
        });
        is_waiting.recv_timeout(LIMIT).expect("it starts");
        handle.abort();
        let error = runtime.block_on(handle).expect_err("it was aborted");
        assert!(error.is_cancelled() && !error.is_panic());
        roll.assert_each_dropped_once();
    });
}

#[test]
fn abort_before_the_first_poll_lets_nothing_run() {
    within_a_minute(|| {
        // No thread runs tasks before `block_on`.
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let handle = runtime.spawn(async { panic!("this must not run") });
        handle.abort();
        assert!(!handle.is_finished(), "the future is dropped where tasks run");
        assert!(runtime.block_on(handle).expect_err("it was aborted").is_cancelled());
    });
}

#[test]
fn abort_of_a_running_task_waits_for_its_poll() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (began, has_begun) = channel();
        let (go, went) = channel::<()>();
        let handle = runtime.spawn(async move {
            began.send(()).expect("the test waits");
            went.recv_timeout(LIMIT).expect("the test goes on");
            yield_now().await;
            unreachable!("the poll boundary is above");
        });
        has_begun.recv_timeout(LIMIT).expect("it runs");
        handle.abort();
        assert!(!handle.is_finished());
        go.send(()).expect("the task waits");
        assert!(runtime.block_on(handle).expect_err("it was aborted").is_cancelled());
    });
}

#[test]
fn abort_in_the_last_poll_is_too_late() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (began, has_begun) = channel();
        let (go, went) = channel::<()>();
        let handle = runtime.spawn(async move {
            began.send(()).expect("the test waits");
            went.recv_timeout(LIMIT).expect("the test goes on");
            7
        });
        has_begun.recv_timeout(LIMIT).expect("it runs");
        handle.abort();
        go.send(()).expect("the task waits");
        assert_eq!(runtime.block_on(handle).expect("the output wins"), 7);
    });
}

#[test]
fn abort_of_a_finished_task_does_nothing() {
    within_a_minute(|| {
        let runtime = two_processors();
        let mut handle = runtime.spawn(async { 7 });
        let abort = handle.abort_handle();
        runtime.block_on(poll_fn(|context| poll_finished(&mut handle, context)));
        abort.abort();
        handle.abort();
        assert!(abort.is_finished() && handle.is_finished());
        assert_eq!(abort.id(), handle.id());
    });
}

fn poll_finished(handle: &mut task::JoinHandle<i32>, context: &mut Context<'_>) -> Poll<()> {
    Pin::new(handle).poll(context).map(|output| assert_eq!(output.expect("no panic"), 7))
}

#[test]
fn aborts_race_completions_without_losing_either() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (mut done, mut cancelled) = (0, 0);
        for _ in 0..5_000 {
            let handle = runtime.spawn(async {
                yield_now().await;
                7
            });
            let abort = handle.abort_handle();
            runtime.spawn(async move { abort.abort() });
            match runtime.block_on(handle) {
                Ok(output) => done += i32::from(output == 7),
                Err(error) => cancelled += i32::from(error.is_cancelled()),
            }
        }
        assert_eq!(done + cancelled, 5_000);
    });
}

#[test]
fn errors_say_which_task_and_where_it_was_spawned() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (handle, line) = (runtime.spawn(async { panic!("boom") }), line!());
        let id = handle.id();
        let error = runtime.block_on(handle).expect_err("it panics");
        assert_eq!(error.id(), id);
        let text = error.to_string();
        assert!(text.starts_with(&format!("task {id} (spawned at ")), "{text}");
        assert!(text.contains(&format!("join_handles.rs:{line}:")), "{text}");
        assert!(text.ends_with(") panicked with message \"boom\""), "{text}");
        assert!(format!("{error:?}").ends_with("), \"boom\", ...)"), "{error:?}");

        let handle = runtime.spawn(pending::<()>());
        handle.abort();
        let error = runtime.block_on(handle).expect_err("it was aborted");
        assert!(error.to_string().ends_with(") was cancelled"), "{error}");
        let refused = error.try_into_panic().expect_err("it is no panic");
        let message = panic_message(|| refused.into_panic());
        assert!(message.starts_with("`JoinError::into_panic` on an error that is no panic: task "), "{message}");
    });
}

#[test]
fn spawn_places_are_the_callers_for_every_spawn() {
    within_a_minute(|| {
        let runtime = two_processors();
        let spawned = runtime.run(async {
            let here = [
                wsrt::spawn(pending::<()>()),
                wsrt::runtime::Handle::current().spawn(pending::<()>()),
                task::spawn_blocking(|| panic!("a job (on purpose)")),
            ];
            let mut texts = Vec::new();
            for handle in here {
                handle.abort();
                texts.push(handle.await.expect_err("aborted, or panicked").to_string());
            }
            texts
        });
        assert!(spawned.iter().all(|text| text.contains("join_handles.rs:")), "{spawned:?}");
    });
}

#[test]
fn ids_are_unique_and_known_inside_the_task() {
    within_a_minute(|| {
        let runtime = two_processors();
        let ids = runtime.run(async {
            let mut ids = std::collections::HashSet::new();
            for _ in 0..1_000 {
                let handle = wsrt::spawn(async { task::id() });
                let id = handle.id();
                assert_eq!(handle.await.expect("no panic"), id);
                assert!(ids.insert(id), "{id} was given twice");
            }
            ids.len()
        });
        assert_eq!(ids, 1_000);
    });
}

#[test]
fn waiting_by_another_waker_replaces_the_first() {
    within_a_minute(|| {
        struct Count(AtomicUsize);

        impl std::task::Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, SeqCst);
            }
        }

        let runtime = two_processors();
        let (go, went) = oneshot::channel::<()>();
        let mut handle = runtime.spawn(async { went.await.expect("it is sent") });
        let counts: Vec<_> = (0..3).map(|_| Arc::new(Count(AtomicUsize::new(0)))).collect();
        for count in &counts {
            let waker = Waker::from(Arc::clone(count));
            assert!(Pin::new(&mut handle).poll(&mut Context::from_waker(&waker)).is_pending());
        }
        go.send(()).expect("the task waits");
        while counts[2].0.load(SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(counts.iter().map(|count| count.0.load(SeqCst)).collect::<Vec<_>>(), [0, 0, 1]);
        assert!(handle.is_finished());
    });
}

#[test]
fn a_set_gives_each_result_once_as_they_come() {
    within_a_minute(|| {
        let runtime = two_processors();
        runtime.run(async {
            let mut set = JoinSet::new();
            for number in 0..1_000 {
                set.spawn(async move {
                    for _ in 0..number % 7 {
                        yield_now().await;
                    }
                    number
                });
            }
            let mut seen = vec![false; 1_000];
            while let Some(result) = set.join_next().await {
                let number = result.expect("no panic");
                assert!(!std::mem::replace(&mut seen[number], true), "{number} came twice");
            }
            assert!(seen.iter().all(|seen| *seen) && set.is_empty());
        });
    });
}

#[test]
fn a_dropped_set_aborts_its_tasks() {
    within_a_minute(|| {
        let runtime = two_processors();
        let roll = Roll::new(100);
        let its_roll = roll.clone();
        runtime.run(async move {
            let mut set = JoinSet::new();
            for index in 0..100 {
                let entry = its_roll.entry(index);
                set.spawn(async move {
                    let _entry = entry;
                    pending::<()>().await;
                });
            }
            yield_now().await;
            set.shutdown().await;
            assert!(set.is_empty());
        });
        roll.assert_each_dropped_once();
    });
}
