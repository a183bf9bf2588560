//! Wakers and handles outlive their runtime: whatever is done with them afterwards is harmless.

use std::cell::RefCell;
use std::future::{pending, poll_fn};
use std::sync::mpsc::channel;
use std::task::{Poll, Waker};
use std::thread;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::JoinHandle;
use wsrt_tests::{LIMIT, two_processors, within_a_minute};

/// A task that waits for ever, and its waker.
fn parked(runtime: &Runtime) -> (JoinHandle<()>, Waker) {
    let (report, reported) = channel();
    let task = runtime.spawn(poll_fn(move |context| {
        let _ = report.send(context.waker().clone());
        Poll::<()>::Pending
    }));
    (task, reported.recv_timeout(LIMIT).expect("it is polled"))
}

#[test]
fn wakers_do_nothing_any_more() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (tasks, wakers): (Vec<_>, Vec<_>) = (0..100).map(|_| parked(&runtime)).unzip();
        drop(runtime);
        thread::scope(|scope| {
            for _ in 0..4 {
                let wakers = &wakers;
                scope.spawn(move || {
                    for waker in wakers {
                        waker.wake_by_ref();
                        let clone = waker.clone();
                        assert!(clone.will_wake(waker));
                        clone.wake();
                    }
                });
            }
        });
        assert!(tasks.iter().all(JoinHandle::is_finished));
        drop(tasks);
        wakers.into_iter().for_each(Waker::wake);
    });
}

#[test]
fn a_waker_may_hold_the_last_reference_to_its_task() {
    within_a_minute(|| {
        for _ in 0..200 {
            let runtime = two_processors();
            let (task, waker) = parked(&runtime);
            drop(task);
            let thread = thread::spawn(move || {
                waker.wake_by_ref();
                drop(waker);
            });
            drop(runtime);
            thread.join().expect("no panic");
        }
    });
}

thread_local! {
    static LEFT_BEHIND: RefCell<Vec<OnExit>> = const { RefCell::new(Vec::new()) };
}

/// Wakes when its thread ends, which is after thread-local values may be asked for.
struct OnExit(Waker);

impl Drop for OnExit {
    fn drop(&mut self) {
        self.0.wake_by_ref();
    }
}

#[test]
fn a_waker_may_fire_as_its_thread_ends() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (task, waker) = parked(&runtime);
        let before = waker.clone();
        thread::spawn(move || LEFT_BEHIND.with_borrow_mut(|left| left.push(OnExit(before)))).join().expect("no panic");
        assert!(!task.is_finished());
        let (after, (ended, has_ended)) = (waker, channel::<()>());
        let thread = thread::spawn(move || {
            LEFT_BEHIND.with_borrow_mut(|left| left.push(OnExit(after)));
            assert!(has_ended.recv_timeout(LIMIT).is_err(), "nothing is sent");
        });
        drop(runtime);
        drop(ended);
        thread.join().expect("no panic");
    });
}

/// A task of the runtime leaves a waker in its own machine's thread-local storage.
#[test]
fn a_waker_may_fire_as_a_machine_ends() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (_task, waker) = parked(&runtime);
        for _ in 0..20 {
            let waker = waker.clone();
            runtime.spawn(async move { LEFT_BEHIND.with_borrow_mut(|left| left.push(OnExit(waker))) });
        }
        drop(runtime);
    });
}

#[test]
fn handles_say_cancelled() {
    within_a_minute(|| {
        let runtime = two_processors();
        let handle = runtime.handle().clone();
        let waiting = runtime.spawn(pending::<()>());
        let abort = waiting.abort_handle();
        drop(runtime);
        abort.abort();
        assert!(abort.is_finished());
        let late = handle.spawn(async { 7 });
        let late_job = handle.spawn_blocking(|| 7);
        assert!(late.is_finished() && late_job.is_finished());
        // Waiting needs no processor.
        assert!(handle.block_on(waiting).expect_err("it never ended").is_cancelled());
        assert!(handle.block_on(late).expect_err("it never ran").is_cancelled());
        assert!(handle.block_on(late_job).expect_err("it never ran").is_cancelled());
    });
}

#[test]
fn a_current_thread_handle_blocks_on_runtime_free_futures_afterwards() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let handle = runtime.handle().clone();
        drop(runtime);
        let (send, receive) = tokio::sync::oneshot::channel();
        let thread = thread::spawn(move || send.send(7).expect("it is awaited"));
        assert_eq!(handle.block_on(receive), Ok(7));
        thread.join().expect("no panic");
    });
}

#[test]
fn an_output_may_be_collected_after_the_end() {
    within_a_minute(|| {
        let runtime = two_processors();
        let task = runtime.spawn(async { String::from("done in time") });
        while !task.is_finished() {
            thread::yield_now();
        }
        let handle = runtime.handle().clone();
        drop(runtime);
        assert_eq!(handle.block_on(task).expect("it was done"), "done in time");
    });
}

#[test]
fn sockets_outlive_it_with_an_error() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (mut stream, client) = runtime.block_on(async {
            let listener = wsrt::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let client = std::net::TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
            (listener.accept().await.expect("a connection waits").0, client)
        });
        drop(runtime);
        let other = two_processors();
        let error = other.block_on(stream.read(&mut [0])).expect_err("nobody watches this socket any more");
        assert!(error.to_string().contains("shut down"), "{error}");
        drop(client);
    });
}
