//! Callbacks of users, functions and destructors, may use the runtime that calls them, and leave
//! it.

use std::cell::RefCell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use wsrt::parallel;
use wsrt::runtime::{Builder, EnterGuard, Handle};
use wsrt::task::{JoinHandle, spawn_blocking};
use wsrt_tests::{LIMIT, panic_message, within_a_minute};

/// A machine is started by a spawn inside a task, since another computes and there is none left:
/// then a new thread's name is made in the middle of that spawn.
#[test]
fn a_function_for_thread_names_may_spawn_and_wake() {
    within_a_minute(|| {
        let (calls, ends) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (wake, woken) = tokio::sync::mpsc::unbounded_channel();
        let (their_calls, their_ends) = (Arc::clone(&calls), Arc::clone(&ends));
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name_fn(move || {
                their_calls.fetch_add(1, SeqCst);
                drop(wsrt::spawn(async {}));
                // The task ends with the first of these.
                let _ = wake.send(());
                their_ends.fetch_add(1, SeqCst);
                String::from("named")
            })
            .build()
            .expect("a runtime");
        let reading = runtime.spawn(async move {
            let mut woken = woken;
            woken.recv().await
        });
        runtime.run(async { spawn_beside_a_busy_helper() });
        assert_eq!(runtime.block_on(reading).expect("no panic"), Some(()));
        assert!(calls.load(SeqCst) > 2, "another machine was started");
        assert_eq!(calls.load(SeqCst), ends.load(SeqCst), "none has panicked");
    });
}

/// The thread may be the one that would run the task.
#[test]
fn a_function_for_thread_names_cannot_wait_for_its_runtime() {
    within_a_minute(|| {
        let place = Arc::new(OnceLock::<Handle>::new());
        let (tell, told) = channel();
        let theirs = Arc::clone(&place);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name_fn(move || {
                if let Some(handle) = theirs.get() {
                    let message = panic_message(|| handle.block_on(handle.spawn(async {})));
                    tell.send(message).expect("the test waits");
                }
                String::from("named")
            })
            .build()
            .expect("a runtime");
        place.set(runtime.handle().clone()).expect("it is empty");
        runtime.block_on(runtime.spawn_blocking(|| {})).expect("the job has its thread");
        let message = told.recv_timeout(LIMIT).expect("a thread was named");
        assert!(
            message.starts_with("wsrt: the function given to `thread_name_fn` waits for its own runtime"),
            "{message}"
        );
        // The function keeps the place, and the place the runtime.
        drop(place);
        runtime.shutdown_background();
    });
}

/// Occupies the other machine with a piece of a parallel loop, and spawns a task then. It is run by
/// a third one.
fn spawn_beside_a_busy_helper() {
    let (here, (release, released)) = (thread::current().id(), channel::<()>());
    let released = Mutex::new(released);
    let (helps, is_helped) = channel();
    let (helps, is_helped) = (Mutex::new(helps), Mutex::new(is_helped));
    parallel::for_each(0..2, |_| {
        if thread::current().id() != here {
            helps.lock().expect("nobody panics").send(()).expect("the caller waits");
            released.lock().expect("nobody panics").recv_timeout(LIMIT).expect("the caller lets go");
            return;
        }
        is_helped.lock().expect("nobody panics").recv_timeout(LIMIT).expect("an idle machine comes to help");
        let (ran, has_run) = channel();
        // The first goes to where this machine would find it next; the second is for others.
        for _ in 0..2 {
            let ran = ran.clone();
            drop(wsrt::spawn(async move { ran.send(thread::current().id()).expect("the caller waits") }));
        }
        assert_ne!(has_run.recv_timeout(LIMIT), Ok(here));
        release.send(()).expect("the helper waits");
    });
}

/// A runtime that has ended, and a guard of it that any code on the thread may drop.
static ENDED: OnceLock<Handle> = OnceLock::new();

thread_local! {
    static GUARD: RefCell<Option<EnterGuard<'static>>> = const { RefCell::new(None) };
}

fn enter_what_has_ended() {
    let ended = ENDED.get_or_init(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.handle().clone()
    });
    GUARD.set(Some(ended.enter()));
}

/// Leaves the runtime when it is dropped.
struct Leaver;

impl Drop for Leaver {
    fn drop(&mut self) {
        drop(GUARD.take());
    }
}

/// For a sanitizer, or Miri: without either it passed before the fix.
#[test]
fn a_refused_job_or_future_may_leave_the_runtime() {
    within_a_minute(|| {
        let refusals: [fn() -> Option<JoinHandle<()>>; 3] = [
            || {
                let leaver = Leaver;
                Some(spawn_blocking(move || drop(leaver)))
            },
            || {
                let leaver = Leaver;
                Some(wsrt::spawn(async move { drop(leaver) }))
            },
            || {
                let leaver = Leaver;
                Some(wsrt::task::Builder::new().spawn_blocking(move || drop(leaver)))
            },
        ];
        for refuse in refusals {
            enter_what_has_ended();
            let refused = refuse().expect("there always is a handle");
            assert!(Handle::try_current().is_err(), "it was left");
            let runtime = Builder::new_current_thread().build().expect("a runtime");
            assert!(runtime.block_on(refused).expect_err("refused").is_cancelled());
        }
    });
}
