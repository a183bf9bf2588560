//! A wait for a timer or a socket of a runtime that ends is woken with an error: no wait outlives
//! the runtime that would end it.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use tokio_test::task;
#[cfg(unix)]
use wsrt::net::UnixStream;
use wsrt::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::task::LocalSet;
use wsrt::time::{Instant, interval_at, sleep, sleep_until, timeout};
use wsrt_tests::{LIMIT, assert_dropped_at_the_end, foreign_block_on, panic_message, two_processors, within_a_minute};

const HOUR: Duration = Duration::from_secs(3_600);

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// A wait that says when it has begun.
struct Announced<F> {
    wait: Pin<Box<F>>,
    has_begun: Option<Sender<()>>,
}

impl<F: Future> Future for Announced<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let polled = self.wait.as_mut().poll(cx);
        if let (true, Some(has_begun)) = (polled.is_pending(), self.has_begun.take()) {
            has_begun.send(()).expect("the test waits");
        }
        polled
    }
}

fn announced<F: Future>(wait: F) -> (Announced<F>, Receiver<()>) {
    let (has_begun, begins) = channel();
    (Announced { wait: Box::pin(wait), has_begun: Some(has_begun) }, begins)
}

#[track_caller]
fn assert_told(message: &str, owner: &str) {
    let rest = "was polled after its runtime had been shut down: no timer is left to end the wait; keep the \
                runtime until its waits are over";
    assert_eq!(message, format!("wsrt: {owner} {rest}"));
}

/// Runs `wait` in a `block_on` of `handle` on a thread of its own; returns once it waits. The
/// thread returns the message of its panic.
fn wait_on_a_plain_thread<F>(handle: &Handle, wait: F) -> thread::JoinHandle<String>
where
    F: Future + Send + 'static,
{
    let handle = handle.clone();
    let (wait, begins) = announced(wait);
    let thread = thread::spawn(move || panic_message(|| handle.block_on(wait)));
    begins.recv_timeout(LIMIT).expect("the wait begins");
    thread
}

#[test]
fn a_blocking_job_that_sleeps_learns_of_the_end() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let (wait, begins) = announced(sleep(HOUR));
            let (tell, told) = channel();
            runtime.spawn_blocking(move || {
                tell.send(panic_message(|| Handle::current().block_on(wait))).expect("the test waits");
            });
            begins.recv_timeout(LIMIT).expect("the job waits");
            drop(runtime);
            assert_told(&told.try_recv().expect("the drop has waited for the job"), "a `Sleep`");
        }
    });
}

#[test]
fn a_task_in_a_nested_block_on_sees_the_end() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (wait, begins) = announced(sleep(HOUR));
        let (tell, told) = channel();
        runtime.spawn(async move {
            tell.send(panic_message(|| Handle::current().block_on(wait))).expect("the test waits");
        });
        begins.recv_timeout(LIMIT).expect("the task waits");
        drop(runtime);
        assert_told(&told.try_recv().expect("the drop has waited for the poll"), "a `Sleep`");
    });
}

#[test]
fn a_task_in_a_foreign_block_on_sees_the_end() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let (wait, begins) = announced(sleep(HOUR));
            let (tell, told) = channel();
            runtime.spawn(async move {
                tell.send(panic_message(|| foreign_block_on(wait))).expect("the test waits");
            });
            let handle = runtime.handle().clone();
            let driver = thread::spawn(move || drop(panic_message(|| handle.block_on(sleep(HOUR)))));
            begins.recv_timeout(LIMIT).expect("the task waits");
            drop(runtime);
            assert_told(&told.try_recv().expect("the drop has waited for the poll"), "a `Sleep`");
            driver.join().expect("the driver ends");
        }
    });
}

#[test]
fn a_destructor_in_a_foreign_block_on_sees_the_end() {
    within_a_minute(|| {
        struct SleepsAtTheEnd(Sender<String>);
        impl Drop for SleepsAtTheEnd {
            fn drop(&mut self) {
                let message = panic_message(|| foreign_block_on(sleep(HOUR)));
                self.0.send(message).expect("the test waits");
            }
        }
        for runtime in [two_processors(), current_thread()] {
            let (tell, told) = channel();
            let sleeps = SleepsAtTheEnd(tell);
            runtime.spawn(async move {
                let _sleeps = sleeps;
                pending::<()>().await;
            });
            drop(runtime);
            assert_told(&told.try_recv().expect("the future was dropped"), "a `Sleep`");
        }
    });
}

#[test]
fn a_nested_block_on_of_the_driver_sees_the_end() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (wait, begins) = announced(sleep(HOUR));
        let (tell, told) = channel();
        let task = runtime.spawn(async move {
            tell.send(panic_message(|| Handle::current().block_on(wait))).expect("the test waits");
        });
        let handle = runtime.handle().clone();
        let driver = thread::spawn(move || handle.block_on(task));
        begins.recv_timeout(LIMIT).expect("the task waits");
        drop(runtime);
        assert_told(&told.recv_timeout(LIMIT).expect("it is told"), "a `Sleep`");
        // The task was in the middle of its poll, which went on to its end.
        driver.join().expect("the driver ends").expect("the task does not panic");
    });
}

#[test]
fn each_driver_of_a_runtime_that_ends_learns_of_it() {
    within_a_minute(|| {
        let runtime = current_thread();
        let drivers = [(); 3].map(|()| wait_on_a_plain_thread(runtime.handle(), sleep(HOUR)));
        drop(runtime);
        for driver in drivers {
            assert_told(&driver.join().expect("it returns the message"), "a `Sleep`");
        }
    });
}

#[test]
fn every_wait_of_a_plain_thread_sees_the_end() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let handle = runtime.handle().clone();
            let again_and_again = async {
                loop {
                    sleep(Duration::from_millis(1)).await;
                }
            };
            let threads = [
                (wait_on_a_plain_thread(&handle, again_and_again), "a `Sleep`"),
                (wait_on_a_plain_thread(&handle, timeout(HOUR, pending::<()>())), "a `Timeout`"),
                (
                    wait_on_a_plain_thread(&handle, async { interval_at(Instant::now() + HOUR, HOUR).tick().await }),
                    "an `Interval`",
                ),
            ];
            drop(runtime);
            for (thread, owner) in threads {
                assert_told(&thread.join().expect("it returns the message"), owner);
            }
        }
    });
}

#[test]
fn sockets_waited_for_outside_of_tasks_tell_of_the_end() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let (wait, begins) = announced(async {
                let socket = UdpSocket::bind("127.0.0.1:0").await?;
                socket.recv(&mut [0]).await
            });
            let (accept, accepts) = announced(async { TcpListener::bind("127.0.0.1:0").await?.accept().await });
            let handle = runtime.handle().clone();
            let thread = thread::spawn(move || handle.block_on(wait));
            let job = runtime.spawn_blocking(move || Handle::current().block_on(accept));
            begins.recv_timeout(LIMIT).expect("the thread waits");
            accepts.recv_timeout(LIMIT).expect("the job waits");
            drop(runtime);
            let error = thread.join().expect("no panic").expect_err("nothing was sent");
            assert!(error.to_string().contains("shut down"), "{error}");
            let error = current_thread().block_on(job).expect("no panic").expect_err("nobody has come");
            assert!(error.to_string().contains("shut down"), "{error}");
        }
    });
}

#[test]
fn tasks_of_a_local_set_see_their_timers_end() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let handle = runtime.handle().clone();
            let (wait, begins) = announced(sleep(HOUR));
            let thread = thread::spawn(move || {
                let set = LocalSet::new();
                let local = set.spawn_local(wait);
                handle.block_on(set.run_until(local)).expect_err("it cannot end well").is_panic()
            });
            begins.recv_timeout(LIMIT).expect("the set's task waits");
            drop(runtime);
            assert!(thread.join().expect("the set's panic stays in its task"));
        }
    });
}

#[test]
fn a_task_of_another_runtime_learns_of_the_end() {
    within_a_minute(|| {
        let (ending, other) = (two_processors(), two_processors());
        let mut wait = Box::pin(sleep(HOUR));
        {
            let _entered = ending.enter();
            assert!(task::spawn(wait.as_mut()).poll().is_pending());
        }
        let (wait, begins) = announced(wait);
        let task = other.spawn(wait);
        begins.recv_timeout(LIMIT).expect("the task waits");
        drop(ending);
        let panic = other.block_on(task).expect_err("nobody ends the wait").into_panic();
        assert_told(panic.downcast_ref::<String>().expect("a message"), "a `Sleep`");
    });
}

#[test]
fn a_wait_without_a_surrounding_runtime_sees_the_end() {
    within_a_minute(|| {
        let runtime = two_processors();
        let mut wait = task::spawn(sleep(HOUR));
        runtime.block_on(async { assert!(wait.poll().is_pending()) });
        assert!(!wait.is_woken());
        drop(runtime);
        assert!(wait.is_woken());
        assert!(!wait.enter(|_, wait| wait.is_elapsed()), "never early, not even at the end");
        assert_told(&panic_message(|| wait.poll()), "a `Sleep`");
    });
}

#[test]
fn a_deadline_beyond_all_counting_ends_with_the_runtime() {
    within_a_minute(|| {
        let runtime = two_processors();
        let thousand_years = HOUR * 24 * 365 * 1_000;
        let deadline = Instant::now().checked_add(thousand_years).expect("the clock counts further than timers do");
        let thread = wait_on_a_plain_thread(runtime.handle(), sleep_until(deadline));
        drop(runtime);
        assert_told(&thread.join().expect("it returns the message"), "a `Sleep`");
    });
}

/// The shutdown has begun, and cannot end before this poll does.
#[test]
fn a_task_that_sleeps_in_its_last_poll_is_cancelled() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (go, goes) = channel::<()>();
        let (began, has_begun) = channel();
        let task = runtime.spawn(async move {
            began.send(()).expect("the test waits");
            assert!(goes.recv_timeout(LIMIT).is_err(), "nothing is sent");
            sleep(HOUR).await;
        });
        has_begun.recv_timeout(LIMIT).expect("the poll begins");
        runtime.shutdown_background();
        drop(go);
        assert!(current_thread().block_on(task).expect_err("it cannot end well").is_cancelled());
    });
}

#[test]
fn a_server_that_accepts_again_whatever_comes_is_cancelled() {
    within_a_minute(|| {
        assert_dropped_at_the_end(|wait_for_the_end| async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            wait_for_the_end();
            while listener.accept().await.is_err() {}
            Ok(())
        });
    });
}

#[test]
fn a_client_that_connects_again_whatever_comes_is_cancelled() {
    within_a_minute(|| {
        // On an address that no other test listens on: one could be given the port meanwhile.
        let nobody = TcpListener::bind("127.0.77.1:0");
        let nobody = current_thread().block_on(nobody).expect("a free port").local_addr().expect("it is bound");
        assert_dropped_at_the_end(move |wait_for_the_end| async move {
            wait_for_the_end();
            while TcpStream::connect(nobody).await.is_err() {}
            Ok(())
        });
        assert_dropped_at_the_end(move |wait_for_the_end| async move {
            wait_for_the_end();
            while TcpSocket::new_v4()?.connect(nobody).await.is_err() {}
            Ok(())
        });
    });
}

#[cfg(unix)]
#[test]
fn a_client_that_connects_to_a_path_again_is_cancelled() {
    within_a_minute(|| {
        assert_dropped_at_the_end(move |wait_for_the_end| async move {
            wait_for_the_end();
            while UnixStream::connect("/nowhere/at/all").await.is_err() {}
            Ok(())
        });
    });
}

#[test]
fn waits_that_begin_as_the_end_comes_learn_of_it() {
    within_a_minute(|| {
        for round in 0..100 {
            let runtime = if round % 2 == 0 { two_processors() } else { current_thread() };
            let threads = [(); 3].map(|()| {
                let handle = runtime.handle().clone();
                thread::spawn(move || {
                    let sleeper = async {
                        loop {
                            sleep(Duration::from_micros(20)).await;
                        }
                    };
                    panic_message(|| handle.block_on(sleeper))
                })
            });
            thread::sleep(Duration::from_micros(round * 10));
            drop(runtime);
            for thread in threads {
                assert_told(&thread.join().expect("it returns the message"), "a `Sleep`");
            }
        }
    });
}

/// A processor that is made while the runtime ends, or after, takes no timer that would fire never.
#[test]
fn waits_fail_at_once_whatever_the_number_of_processors() {
    fn assert_sleeps_fail(handle: &Handle) {
        (0..8).for_each(|_| assert_told(&panic_message(|| handle.block_on(sleep(HOUR))), "a `Sleep`"));
    }
    within_a_minute(|| {
        let runtime = two_processors();
        let handle = runtime.handle().clone();
        let (dropped, is_dropped) = channel::<()>();
        runtime.spawn(async move {
            let _dropped = dropped;
            pending::<()>().await;
        });
        let (tell, told) = channel();
        let job = runtime.spawn_blocking(move || {
            tell.send(()).expect("the test waits");
            is_dropped.recv_timeout(LIMIT).expect_err("nothing is sent");
            Handle::current().resize(8).expect("there is room");
            assert_sleeps_fail(&Handle::current());
        });
        told.recv_timeout(LIMIT).expect("the job begins");
        drop(runtime);
        current_thread().block_on(job).expect("no panic");
        handle.resize(16).expect("nothing heeds it");
        assert_sleeps_fail(&handle);
    });
}
