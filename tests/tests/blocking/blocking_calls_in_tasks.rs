//! `blocking_lock`, `blocking_recv` and their like inside a task: the other tasks of its processor
//! run meanwhile, among them the one that ends the wait.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::{Mutex, RwLock, Semaphore, broadcast, mpsc, oneshot};
use wsrt::task::{LocalSet, spawn_blocking, spawn_local, yield_now};
use wsrt_tests::{LIMIT, panic_message, runtime_with, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

fn one_processor() -> [Runtime; 2] {
    [runtime_with(1), current_thread()]
}

/// Has a task run `ending` after some turns, which ends a wait that has begun by then.
fn later(ending: impl FnOnce() + Send + 'static) {
    wsrt::spawn(async {
        for _ in 0..3 {
            yield_now().await;
        }
        ending();
    });
}

/// Makes each of the calls that block, one that another task has to end.
fn make_each_call() {
    wait_for_values();
    wait_for_room();
    wait_for_mutexes();
    wait_for_readers_and_writers();
    wait_for_semaphores();
}

fn wait_for_values() {
    let (sender, mut receiver) = mpsc::channel(2);
    later(move || [7, 8].into_iter().for_each(|value| sender.try_send(value).expect("there is room")));
    assert_eq!(receiver.blocking_recv(), Some(7));
    assert_eq!(receiver.blocking_recv_many(&mut Vec::new(), 4), 1);
    assert_eq!(receiver.blocking_recv(), None, "the sender is gone");

    let (sender, mut receiver) = mpsc::unbounded_channel();
    later(move || sender.send(7).expect("the receiver is there"));
    assert_eq!(receiver.blocking_recv_many(&mut Vec::new(), 4), 1);
    assert_eq!(receiver.blocking_recv(), None, "the sender is gone");

    let (reply, answer) = oneshot::channel();
    later(move || reply.send(7).expect("the receiver is there"));
    assert_eq!(answer.blocking_recv(), Ok(7));

    let (sender, mut receiver) = broadcast::channel(2);
    later(move || drop(sender.send(7)));
    assert_eq!(receiver.blocking_recv(), Ok(7));
    assert_eq!(receiver.blocking_recv(), Err(broadcast::error::RecvError::Closed));
}

fn wait_for_room() {
    let (sender, mut receiver) = mpsc::channel(1);
    sender.blocking_send(7).expect("there is room");
    later(move || {
        assert_eq!(receiver.try_recv(), Ok(7));
        // It stays until the second value has come.
        later(move || assert_eq!(receiver.blocking_recv(), Some(8)));
    });
    sender.blocking_send(8).expect("the receiver is there");
}

fn wait_for_mutexes() {
    let lock = Arc::new(Mutex::new(7));
    let guard = Arc::clone(&lock).try_lock_owned().expect("it is free");
    later(move || drop(guard));
    let guard = Arc::clone(&lock).blocking_lock_owned();
    later(move || drop(guard));
    assert_eq!(*lock.blocking_lock(), 7);
}

fn wait_for_readers_and_writers() {
    let lock = Arc::new(RwLock::new(7));
    let reader = Arc::clone(&lock).try_read_owned().expect("it is free");
    later(move || drop(reader));
    *lock.blocking_write() += 1;
    let writer = Arc::clone(&lock).try_write_owned().expect("it is free");
    later(move || drop(writer));
    assert_eq!(*lock.blocking_read(), 8);
}

fn wait_for_semaphores() {
    let semaphore = Arc::new(Semaphore::new(0));
    let more = |count| {
        let semaphore = Arc::clone(&semaphore);
        later(move || semaphore.add_permits(count));
    };
    more(1);
    semaphore.blocking_acquire().expect("it is open").forget();
    more(2);
    semaphore.blocking_acquire_many(2).expect("it is open").forget();
    more(1);
    Arc::clone(&semaphore).blocking_acquire_owned().expect("it is open").forget();
    more(2);
    Arc::clone(&semaphore).blocking_acquire_many_owned(2).expect("it is open").forget();
    let closed = Arc::clone(&semaphore);
    later(move || closed.close());
    assert!(semaphore.blocking_acquire().is_err(), "it was closed meanwhile");
}

#[test]
fn each_call_lets_the_other_task_end_it() {
    within_a_minute(|| {
        for runtime in one_processor() {
            let task = runtime.spawn(async { make_each_call() });
            runtime.block_on(task).expect("no panic");
            // And directly in the future that the thread waits for.
            runtime.block_on(async { make_each_call() });
        }
    });
}

/// Each task waits, by a blocking call, for one that it has spawned.
fn nest(depth: usize) -> usize {
    if depth == 0 {
        make_each_call();
        return 0;
    }
    let (reply, answer) = oneshot::channel();
    wsrt::spawn(async move { reply.send(nest(depth - 1)).expect("it waits") });
    answer.blocking_recv().expect("it is sent") + 1
}

#[test]
fn calls_nest_to_any_depth() {
    within_a_minute(|| {
        for runtime in one_processor() {
            for depth in [1, 2, 20] {
                let task = runtime.spawn(async move { nest(depth) });
                assert_eq!(runtime.block_on(task).expect("no panic"), depth);
            }
        }
    });
}

/// The lock goes to them in their order, each on a thread of its own.
#[test]
fn many_tasks_block_on_one_lock() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let lock = Arc::new(Mutex::new(0));
        let guard = Arc::clone(&lock).try_lock_owned().expect("it is free");
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let lock = Arc::clone(&lock);
                runtime.spawn(async move { *lock.blocking_lock() += 1 })
            })
            .collect();
        runtime.spawn(async move { drop(guard) });
        for task in tasks {
            runtime.block_on(task).expect("no panic");
        }
        assert_eq!(*lock.blocking_lock(), 20);
    });
}

#[test]
fn calls_work_in_blocking_jobs_too() {
    within_a_minute(|| {
        for runtime in one_processor() {
            runtime.block_on(async {
                spawn_blocking(make_each_call).await.expect("no panic");
                spawn_blocking(|| assert_eq!(nest(2), 2)).await.expect("no panic");
            });
        }
    });
}

#[test]
fn calls_work_on_threads_beside_the_runtime() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let _inside = runtime.enter();
        make_each_call();
        let handle = Handle::current();
        let thread = thread::spawn(move || {
            let _inside = handle.enter();
            make_each_call();
        });
        thread.join().expect("no panic");
    });
}

#[test]
fn calls_work_inside_a_local_set() {
    within_a_minute(|| {
        for runtime in one_processor() {
            let set = LocalSet::new();
            set.block_on(&runtime, async {
                make_each_call();
                spawn_local(async { make_each_call() }).await.expect("no panic");
            });
            runtime.block_on(set);
        }
    });
}

/// The poll waits for a task that a shutdown drops: the task's end ends the wait.
#[test]
fn a_sender_that_a_shutdown_drops_ends_the_wait() {
    within_a_minute(|| {
        for runtime in one_processor() {
            let (sender, mut receiver) = mpsc::channel::<()>(1);
            runtime.spawn(async move {
                std::future::pending::<()>().await;
                drop(sender);
            });
            let (began, has_begun) = channel();
            let (tell, told) = channel();
            runtime.spawn(async move {
                began.send(()).expect("the test waits");
                tell.send(receiver.blocking_recv()).expect("the test waits");
            });
            let driver = drive(&runtime);
            has_begun.recv_timeout(LIMIT).expect("it begins");
            drop(runtime);
            assert_eq!(told.recv_timeout(LIMIT), Ok(None));
            driver.join().expect("no panic");
        }
    });
}

/// Drives a current-thread runtime, until it ends.
fn drive(runtime: &Runtime) -> thread::JoinHandle<()> {
    let handle = runtime.handle().clone();
    let hour = std::time::Duration::from_secs(3_600);
    thread::spawn(move || drop(panic_message(|| handle.block_on(wsrt::time::sleep(hour)))))
}

/// Ending the runtime waits for the poll, and no longer than its wait takes.
#[test]
fn a_shutdown_waits_for_the_call_to_end() {
    within_a_minute(|| {
        for runtime in one_processor() {
            let lock = Arc::new(Mutex::new(7));
            let guard = Arc::clone(&lock).try_lock_owned().expect("it is free");
            let (began, has_begun) = channel();
            let (tell, told) = channel();
            let shared = Arc::clone(&lock);
            runtime.spawn(async move {
                began.send(()).expect("the test waits");
                tell.send(*shared.blocking_lock()).expect("the test waits");
            });
            let driver = drive(&runtime);
            has_begun.recv_timeout(LIMIT).expect("it begins");
            let ending = thread::spawn(move || drop(runtime));
            assert!(told.try_recv().is_err(), "the lock is held");
            drop(guard);
            assert_eq!(told.recv_timeout(LIMIT), Ok(7));
            ending.join().expect("no panic");
            driver.join().expect("no panic");
        }
    });
}

#[test]
fn a_blocking_job_outlives_its_runtime() {
    within_a_minute(|| {
        for runtime in one_processor() {
            let (sender, mut receiver) = mpsc::channel(1);
            let (tell, told) = channel();
            let (began, has_begun) = channel();
            runtime.spawn_blocking(move || {
                began.send(()).expect("the test waits");
                tell.send(receiver.blocking_recv()).expect("the test waits");
            });
            has_begun.recv_timeout(LIMIT).expect("it begins");
            runtime.shutdown_background();
            sender.blocking_send(7).expect("the job waits");
            assert_eq!(told.recv_timeout(LIMIT), Ok(Some(7)));
        }
    });
}
