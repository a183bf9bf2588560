//! A runtime whose tasks wait in a ring, and which an event from outside may yet free: it waits and
//! goes on when that comes.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::task::{Context, Wake, Waker};
use std::thread;

use wsrt::runtime::{Builder, Runtime};
use wsrt::sync::{Mutex, oneshot};
use wsrt::task::{JoinHandle, spawn_blocking};
use wsrt_tests::{LIMIT, within_a_minute};

/// A runtime, and a channel that tells each time that its thread goes to sleep. Before that the
/// thread has looked for a proof that it would sleep for ever.
fn watched() -> (Runtime, Receiver<()>) {
    let (sleeps, has_slept) = channel();
    let tell = move || _ = sleeps.send(());
    (Builder::new_current_thread().on_thread_park(tell).build().expect("a runtime"), has_slept)
}

/// Calls `event` on another thread once the runtime's has gone to sleep.
fn once_asleep(has_slept: Receiver<()>, event: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        has_slept.recv_timeout(LIMIT).expect("it sleeps, and has not panicked");
        event();
    })
}

/// A task that waits for itself, until it is aborted.
fn spawn_a_ring() -> JoinHandle<()> {
    wsrt::spawn(async {
        let lock = Mutex::new(());
        let _guard = lock.lock().await;
        drop(lock.lock().await);
    })
}

#[test]
fn a_waker_on_another_thread() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (reply, answer) = oneshot::channel();
        let outside = once_asleep(has_slept, move || reply.send(7).expect("the root waits"));
        let seven = runtime.block_on(async {
            wsrt::select! {
                _ = spawn_a_ring() => None,
                value = answer => value.ok(),
            }
        });
        assert_eq!(seven, Some(7));
        outside.join().expect("no panic");
    });
}

#[test]
fn a_waker_of_a_task_in_line_for_a_lock() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (reply, answer) = oneshot::channel();
        let outside = once_asleep(has_slept, move || reply.send(7).expect("the task waits"));
        let task = runtime.spawn(async {
            let lock = Mutex::new(());
            let _guard = lock.lock().await;
            wsrt::select! {
                _ = lock.lock() => None,
                value = answer => value.ok(),
            }
        });
        assert_eq!(runtime.block_on(task).expect("no panic"), Some(7));
        outside.join().expect("no panic");
    });
}

/// The task's waker, in a crowd of futures that have wakers of their own.
#[derive(Default)]
struct Only(std::sync::Mutex<Option<Waker>>);

struct Wrapped(Arc<Only>);

impl Wake for Wrapped {
    fn wake(self: Arc<Self>) {
        let only = self.0.0.lock().expect("no panic").take();
        only.into_iter().for_each(Waker::wake);
    }
}

/// A library's wakers around the task's one: of two, one lies in the line.
#[test]
fn a_waker_of_a_future_in_a_crowd() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (reply, answer) = oneshot::channel();
        let outside = once_asleep(has_slept, move || reply.send(7).expect("the crowd waits"));
        let task = runtime.spawn(async {
            let lock = Mutex::new(());
            let _guard = lock.lock().await;
            let mut locks = pin!(lock.lock());
            let mut answer = pin!(answer);
            let only = Arc::new(Only::default());
            let (one, other) = [(), ()].map(|()| Waker::from(Arc::new(Wrapped(Arc::clone(&only))))).into();
            poll_fn(|cx| {
                *only.0.lock().expect("no panic") = Some(cx.waker().clone());
                assert!(locks.as_mut().poll(&mut Context::from_waker(&one)).is_pending());
                answer.as_mut().poll(&mut Context::from_waker(&other)).map(Result::ok)
            })
            .await
        });
        assert_eq!(runtime.block_on(task).expect("no panic"), Some(7));
        outside.join().expect("no panic");
    });
}

#[test]
fn an_abort_handle_on_another_thread() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        runtime.block_on(async {
            let ring = spawn_a_ring();
            let handle = ring.abort_handle();
            let outside = once_asleep(has_slept, move || handle.abort());
            assert!(ring.await.expect_err("it is aborted").is_cancelled());
            outside.join().expect("no panic");
        });
    });
}

/// Also in a test, where no lock takes part.
#[test]
fn a_join_handle_on_another_thread() {
    within_a_minute(|| {
        let (sleeps, has_slept) = channel();
        let tell = move || _ = sleeps.send(());
        let mut builder = Builder::new_current_thread();
        let runtime = builder.__in_test().on_thread_park(tell).build().expect("a runtime");
        runtime.block_on(async {
            let task = Arc::new(std::sync::Mutex::new(wsrt::spawn(pending::<()>())));
            let shared = Arc::clone(&task);
            let outside = once_asleep(has_slept, move || shared.lock().expect("no panic").abort());
            let ended = poll_fn(|cx| pin!(&mut *task.lock().expect("no panic")).poll(cx)).await;
            assert!(ended.expect_err("it is aborted").is_cancelled());
            outside.join().expect("no panic");
        });
    });
}

/// The only thing outside that can free the root: it spawns a task, which aborts.
#[test]
fn a_handle_on_another_thread() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (handle, lock) = (runtime.handle().clone(), Arc::new(Mutex::new(())));
        runtime.block_on(async {
            let shared = Arc::clone(&lock);
            let holder = wsrt::spawn(async move {
                let _guard = shared.lock().await;
                drop(shared.lock().await);
            });
            wsrt::task::yield_now().await;
            let outside = once_asleep(has_slept, move || drop(handle.spawn(async move { holder.abort() })));
            drop(lock.lock().await);
            outside.join().expect("no panic");
        });
    });
}

static SHARED: Mutex<()> = Mutex::const_new(());

#[test]
fn a_guard_of_a_static_lock_on_another_thread() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (give, given) = channel();
        let outside = once_asleep(has_slept, move || drop(given.recv_timeout(LIMIT).expect("it is sent")));
        let task = runtime.spawn(async move {
            give.send(SHARED.lock().await).expect("the thread waits");
            drop(SHARED.lock().await);
        });
        runtime.block_on(task).expect("no panic");
        outside.join().expect("no panic");
    });
}

/// Also if it was handed over, with another task in line behind.
#[test]
fn an_owned_guard_on_another_thread() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (give, given) = channel();
        let outside = once_asleep(has_slept, move || drop(given.recv_timeout(LIMIT).expect("it is sent")));
        let lock = Arc::new(Mutex::new(()));
        runtime.block_on(async {
            let guard = lock.lock().await;
            let (first, second) = (Arc::clone(&lock), Arc::clone(&lock));
            let owner = wsrt::spawn(async move {
                give.send(Arc::clone(&first).lock_owned().await).expect("the thread waits");
                drop(first.lock().await);
            });
            let other = wsrt::spawn(async move { drop(second.lock().await) });
            wsrt::task::yield_now().await;
            drop(guard);
            owner.await.expect("no panic");
            other.await.expect("no panic");
        });
        outside.join().expect("no panic");
    });
}

#[test]
fn a_blocking_job() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        runtime.block_on(async {
            let job = spawn_blocking(move || has_slept.recv_timeout(LIMIT).expect("it sleeps"));
            wsrt::select! {
                _ = spawn_a_ring() => panic!("it waits for itself"),
                ended = job => ended.expect("no panic"),
            }
        });
    });
}

#[cfg(unix)]
#[test]
fn a_signal() {
    use wsrt::signal::unix::{SignalKind, signal};

    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        runtime.block_on(async {
            let mut signals = signal(SignalKind::user_defined1()).expect("it can be handled");
            let outside = once_asleep(has_slept, || {
                // SAFETY: the signal is handled.
                assert_eq!(unsafe { libc::raise(libc::SIGUSR1) }, 0);
            });
            wsrt::select! {
                _ = spawn_a_ring() => panic!("it waits for itself"),
                _ = signals.recv() => {}
            }
            outside.join().expect("no panic");
        });
    });
}

#[cfg(unix)]
#[test]
fn a_socket() {
    use std::io::Write;
    use wsrt::net::UnixStream;

    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (mut theirs, ours) = std::os::unix::net::UnixStream::pair().expect("a pair");
        runtime.block_on(async {
            ours.set_nonblocking(true).expect("a socket");
            let ours = UnixStream::from_std(ours).expect("a socket");
            let outside = once_asleep(has_slept, move || theirs.write_all(b"x").expect("it is open"));
            wsrt::select! {
                _ = spawn_a_ring() => panic!("it waits for itself"),
                ready = ours.readable() => ready.expect("it is open"),
            }
            outside.join().expect("no panic");
        });
    });
}

/// A thread that is parked in `block_on` for good, whatever its tasks do.
#[test]
fn a_root_that_waits_for_nothing() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let (reply, answer) = oneshot::channel::<()>();
        let runtime = Arc::new(runtime);
        let drives = Arc::clone(&runtime);
        let driver = thread::spawn(move || {
            drives.block_on(async {
                let _ring = spawn_a_ring();
                wsrt::select! {
                    () = pending() => {}
                    _ = answer => {}
                }
            });
        });
        has_slept.recv_timeout(LIMIT).expect("it sleeps, and has not panicked");
        let task = runtime.spawn(async { 7 });
        let runtime_of_this_thread = Builder::new_current_thread().build().expect("a runtime");
        assert_eq!(runtime_of_this_thread.block_on(task).expect("no panic"), 7);
        reply.send(()).expect("the root waits");
        driver.join().expect("no panic");
    });
}

#[test]
fn a_thread_that_is_parked_for_good() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        thread::spawn(move || {
            runtime.block_on(async {
                let _ring = spawn_a_ring();
                pending::<()>().await;
            });
        });
        has_slept.recv_timeout(LIMIT).expect("it sleeps, and has not panicked");
    });
}

/// A borrowed guard: the future of `block_on` need not be `'static`.
#[test]
fn a_guard_that_a_scoped_thread_has_borrowed() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let lock = Mutex::new(7);
        let seven = thread::scope(|scope| {
            runtime.block_on(async {
                let guard = lock.lock().await;
                scope.spawn(move || {
                    has_slept.recv_timeout(LIMIT).expect("it sleeps, and has not panicked");
                    drop(guard);
                });
                *lock.lock().await
            })
        });
        assert_eq!(seven, 7);
    });
}

/// A future that has taken the lock in its first poll, and is finished by another thread.
#[test]
fn a_guard_in_a_future_that_has_moved() {
    within_a_minute(|| {
        let (runtime, has_slept) = watched();
        let lock = Arc::new(Mutex::new(7));
        let (give, given) = channel::<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>>();
        let outside = once_asleep(has_slept, move || {
            let other = Builder::new_current_thread().build().expect("a runtime");
            other.block_on(given.recv_timeout(LIMIT).expect("it is sent"));
        });
        let shared = Arc::clone(&lock);
        let seven = runtime.block_on(async {
            let mut moving: std::pin::Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
                let _guard = shared.lock().await;
                wsrt::task::yield_now().await;
            });
            poll_fn(|cx| {
                assert!(moving.as_mut().poll(cx).is_pending());
                std::task::Poll::Ready(())
            })
            .await;
            give.send(moving).expect("the thread waits");
            *lock.lock().await
        });
        assert_eq!(seven, 7);
        outside.join().expect("no panic");
    });
}
