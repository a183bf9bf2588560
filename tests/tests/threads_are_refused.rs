//! If the system refuses threads, nothing is lost, and the runtime neither asks nor reports without
//! end.
//!
//! A function for names that panics stands for the system.

use std::future::Future;
use std::panic;
use std::pin::pin;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt_tests::{Gate, LIMIT, Manner, in_a_process_of_its_own, text_of, within_a_minute};

const REFUSAL: &str = "no thread";

/// A system with a limited number of threads to give.
#[derive(Debug, Clone)]
struct System {
    left: Arc<AtomicUsize>,
    /// How often it has refused one.
    refused: Arc<AtomicUsize>,
}

impl System {
    fn with_threads(count: usize) -> Self {
        Self { left: Arc::new(AtomicUsize::new(count)), refused: Arc::new(AtomicUsize::new(0)) }
    }

    fn runtime(&self) -> Runtime {
        let system = self.clone();
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name_fn(move || {
            let granted = system.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
            if granted.is_err() {
                system.refused.fetch_add(1, SeqCst);
                panic::panic_any(REFUSAL);
            }
            "granted".to_owned()
        });
        builder.build().expect("it grants the first")
    }

    fn grant(&self, count: usize) {
        self.left.fetch_add(count, SeqCst);
    }

    fn refused(&self) -> usize {
        self.refused.load(SeqCst)
    }

    /// Checks that it was not asked more often than once in a tenth of a second.
    #[track_caller]
    fn assert_asked_seldom(&self, since: Instant) {
        let (refused, tenths) = (self.refused(), since.elapsed().as_millis() as usize / 100);
        // A first refusal may find others about to ask.
        assert!(refused <= tenths + 3, "refused {refused} times in {tenths} tenths of a second");
        assert!(refused > 0, "it was asked");
    }
}

fn keep_refusals_quiet() {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref() != Some(&REFUSAL) {
            loud(panic);
        }
    }));
}

/// The messages on standard error within the time, in a process of its own.
#[track_caller]
fn said_by(test: &str, body: fn()) -> String {
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "0")], || {
        keep_refusals_quiet();
        let start = Instant::now();
        body();
        eprintln!("SECONDS {}", start.elapsed().as_secs());
    });
    text_of(&output)
}

/// Checks that `line` was reported at once, and not more than once a second.
#[track_caller]
fn assert_said_seldom(said: &str, line: &str) {
    assert!(said.starts_with(&format!("wsrt: {line}")), "{said}");
    assert!(said.contains("(raise the limit on threads: `ulimit -u`"), "{said}");
    let (_, seconds) = said.split_once("SECONDS ").expect("it says how long it took");
    let seconds: usize = seconds.trim().parse().expect("a number");
    assert!(said.lines().count() <= 1 + seconds + 1, "{said}");
}

/// A processor whose poll sleeps has a spare, for which the system grants no thread.
#[test]
fn a_machine_is_requested_at_most_ten_times_a_second() {
    let said = said_by("a_machine_is_requested_at_most_ten_times_a_second", || {
        within_a_minute(|| {
            let system = System::with_threads(1);
            let runtime = system.runtime();
            let (gate, start) = (Gate::new(), Instant::now());
            let (began, has_begun) = channel();
            let hold = gate.hold();
            let held = runtime.spawn(async move {
                began.send(()).expect("the test waits");
                hold.wait(Manner::Asleep);
            });
            has_begun.recv_timeout(LIMIT).expect("it begins");
            // Each of them is a reason to wake a machine.
            let mut waiting = Vec::new();
            while start.elapsed() < Duration::from_millis(1_300) {
                waiting.push(runtime.spawn(async {}));
                thread::sleep(Duration::from_millis(1));
            }
            system.assert_asked_seldom(start);
            // The waiting task is not forgotten.
            system.grant(1);
            waiting.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
            gate.open();
            runtime.block_on(held).expect("no panic");
        });
    });
    assert_said_seldom(
        &said,
        "could not start another machine thread: the function given to `thread_name_fn` panicked",
    );
    assert!(said.contains(" more times"), "{said}");
}

#[test]
fn blocking_jobs_request_at_most_ten_threads_a_second() {
    let said = said_by("blocking_jobs_request_at_most_ten_threads_a_second", || {
        within_a_minute(|| {
            let system = System::with_threads(1);
            let (runtime, start) = (system.runtime(), Instant::now());
            let mut job = 0;
            while start.elapsed() < Duration::from_millis(1_300) {
                let done = runtime.block_on(runtime.spawn_blocking(move || job));
                assert_eq!(done.expect("it runs on the processor"), job);
                job += 1;
            }
            system.assert_asked_seldom(start);
        });
    });
    assert_said_seldom(&said, "no thread for a blocking job (the function given to `thread_name_fn` panicked)");
    assert!(said.contains(" more times"), "{said}");
}

/// The pool's only thread waits for a job for which the system refused a thread when it came: only
/// the runtime can ask again.
#[test]
fn a_job_has_its_thread_once_the_system_has_one() {
    within_a_minute(|| {
        let system = System::with_threads(2);
        let runtime = system.runtime();
        let (tell, told) = channel();
        let outer = runtime.spawn_blocking(move || {
            let inner = wsrt::task::spawn_blocking(|| 7);
            tell.send(()).expect("the test waits");
            Handle::current().block_on(inner).expect("no panic")
        });
        told.recv_timeout(LIMIT).expect("it begins");
        assert!(system.refused() > 0, "it was asked");
        system.grant(1);
        assert_eq!(runtime.block_on(outer).expect("no panic"), 7);
    });
}

/// The pool's thread is refused another one while the watcher asks for a machine, which it has.
#[test]
fn a_refused_job_outlives_a_thread_granted_meanwhile() {
    within_a_minute(|| {
        let ((ask, asked), (refuse, refused)) = (channel(), channel());
        let (refused, asks, refuses) = (Mutex::new(refused), AtomicBool::new(true), AtomicBool::new(true));
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name_fn(move || {
            match thread::current().name() {
                Some("wsrt-sysmon") if asks.swap(false, SeqCst) => {
                    ask.send(()).expect("the job waits");
                    refused.lock().expect("no panic").recv_timeout(LIMIT).expect("the job is refused");
                }
                Some("granted") if refuses.swap(false, SeqCst) => panic::panic_any(REFUSAL),
                _ => {}
            }
            "granted".to_owned()
        });
        let runtime = builder.build().expect("it grants the first");
        let outer = runtime.spawn_blocking(move || {
            asked.recv_timeout(LIMIT).expect("the watcher asks");
            let inner = wsrt::task::spawn_blocking(|| 7);
            refuse.send(()).expect("the watcher waits");
            Handle::current().block_on(inner).expect("no panic")
        });
        let (release, released) = channel::<()>();
        let blocked = runtime.spawn(async move {
            let waiting = wsrt::spawn(async {});
            wsrt::task::block_in_place(|| released.recv_timeout(LIMIT).expect_err("it is dropped"));
            waiting.await
        });
        assert_eq!(runtime.block_on(outer).expect("no panic"), 7);
        drop(release);
        runtime.block_on(blocked).expect("no panic").expect("no panic");
    });
}

/// Between requests for a thread, jobs that come wait for the threads that there are.
#[test]
fn jobs_run_on_the_threads_that_there_are() {
    within_a_minute(|| {
        let system = System::with_threads(2);
        let runtime = system.runtime();
        let (release, released) = channel::<()>();
        let occupant = runtime.spawn_blocking(move || released.recv().expect_err("it is dropped"));
        let jobs: Vec<_> = (0..100).map(|job| runtime.spawn_blocking(move || job)).collect();
        drop(release);
        for (job, handle) in jobs.into_iter().enumerate() {
            assert_eq!(runtime.block_on(handle).expect("no panic"), job);
        }
        let _ = runtime.block_on(occupant).expect("no panic");
    });
}

/// Without a machine to hand the processor to, the one that blocks keeps it until the watcher takes
/// care of the waiting tasks.
#[test]
fn a_block_on_goes_on_once_a_thread_exists() {
    within_a_minute(|| {
        let system = System::with_threads(1);
        let runtime = system.runtime();
        let asked = system.clone();
        let answer = runtime.run(async move {
            let inner = wsrt::spawn(async { 7 });
            let granter = thread::spawn(move || {
                while asked.refused() == 0 {
                    thread::yield_now();
                }
                asked.grant(1);
            });
            let answer = Handle::current().block_on(inner).expect("no panic");
            granter.join().expect("no panic");
            answer
        });
        assert_eq!(answer, 7);
    });
}

/// The thread that is refused is the last that the end waits for, which has begun by then.
#[test]
fn a_runtime_ends_beside_a_thread_that_is_refused() {
    within_a_minute(|| {
        let (system, ends) = (System::with_threads(1), channel::<()>());
        let (asked, stops) = (channel(), Mutex::new(Some(ends.0)));
        let (granting, is_over) = (system.clone(), Mutex::new(ends.1));
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).on_thread_stop(move || drop(stops.lock().expect("no panic").take())).thread_name_fn(
            move || {
                let granted = granting.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                if granted.is_err() {
                    asked.0.send(()).expect("the test waits");
                    is_over.lock().expect("no panic").recv_timeout(LIMIT).expect_err("the machine has ended");
                    // The drop is where it waits for the pool by then. If not, this shows less.
                    thread::sleep(Duration::from_millis(100));
                    panic::panic_any(REFUSAL);
                }
                "granted".to_owned()
            },
        );
        let runtime = builder.build().expect("it grants the first");
        let (handle, (held, is_dropped)) = (runtime.handle().clone(), channel::<()>());
        let submitter = thread::spawn(move || handle.spawn_blocking(move || drop(held)));
        asked.1.recv_timeout(LIMIT).expect("the job asks for a thread");
        drop(runtime);
        assert!(is_dropped.try_recv().is_err_and(|error| error == TryRecvError::Disconnected), "the job is gone");
        assert!(submitter.join().expect("no panic").is_finished());
    });
}

/// A job that was accepted before a drain is refused its thread after the drain has begun.
#[test]
fn a_drain_loses_no_job_that_is_refused_a_thread() {
    within_a_minute(|| {
        let (asked, is_asked) = channel();
        let (refuse, refused) = channel::<()>();
        let (threads, refused) = (AtomicUsize::new(0), Mutex::new(refused));
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name_fn(move || {
            if threads.fetch_add(1, SeqCst) > 0 {
                asked.send(()).expect("the test waits");
                let _ = refused.lock().expect("one at a time").recv();
                panic::panic_any(REFUSAL);
            }
            "granted".to_owned()
        });
        let runtime = builder.build().expect("it grants the first");
        let handle = runtime.handle().clone();
        let submitter = thread::spawn(move || handle.spawn_blocking(|| 7));
        is_asked.recv_timeout(LIMIT).expect("the job asks for a thread");
        let mut drain = pin!(runtime.handle().drain(wsrt::time::Instant::now() + LIMIT));
        assert!(drain.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending(), "the job is not over");
        drop(refuse);
        let job = submitter.join().expect("no panic");
        assert_eq!(runtime.block_on(job).expect("the job runs on a processor"), 7);
        assert!(runtime.block_on(drain).is_complete());
    });
}
