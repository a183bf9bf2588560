//! The blocking pool runs every job, on threads that it starts as needed, names, limits and lets
//! go.

use std::collections::HashSet;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinHandle, spawn_blocking};
use wsrt_tests::{LIMIT, count_threads, in_a_process_of_its_own, runtime_with, text_of, within_a_minute};

fn with_pool_of(threads: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(threads).build().expect("a runtime")
}

/// Jobs that have all begun, on a thread each, and end when the sender is dropped.
fn occupy(runtime: &Runtime, threads: usize) -> (Sender<()>, Vec<JoinHandle<()>>) {
    let (release, released) = channel::<()>();
    let (began, has_begun) = channel();
    let released = Arc::new(Mutex::new(released));
    let jobs = (0..threads)
        .map(|_| {
            let (began, released) = (began.clone(), Arc::clone(&released));
            runtime.spawn_blocking(move || {
                began.send(()).expect("the test waits");
                drop(released.lock().map(|released| released.recv()));
            })
        })
        .collect();
    (0..threads).for_each(|_| has_begun.recv_timeout(LIMIT).expect("a thread for each job"));
    (release, jobs)
}

#[test]
fn jobs_return_what_they_compute() {
    within_a_minute(|| {
        let runtime = with_pool_of(4);
        let sum = runtime.run(async {
            let jobs: Vec<_> = (0..5_000_u64).map(|number| spawn_blocking(move || number)).collect();
            let mut sum = 0;
            for job in jobs {
                sum += job.await.expect("no panic");
            }
            sum
        });
        assert_eq!(sum, 4_999 * 5_000 / 2);
    });
}

#[test]
fn as_many_jobs_run_as_the_limit_allows() {
    within_a_minute(|| {
        let runtime = with_pool_of(3);
        let (release, occupants) = occupy(&runtime, 3);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let queued: Vec<_> = (0..300)
            .map(|_| {
                let (running, most) = (Arc::clone(&running), Arc::clone(&most));
                runtime.spawn_blocking(move || {
                    most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                    thread::yield_now();
                    running.fetch_sub(1, SeqCst);
                    thread::current().id()
                })
            })
            .collect();
        assert!(queued.iter().all(|job| !job.is_finished()), "all threads are occupied");
        drop(release);
        let threads: HashSet<_> =
            queued.into_iter().map(|job| runtime.block_on(job).expect("jobs beyond the limit run later")).collect();
        assert!(threads.len() <= 3, "{threads:?}");
        assert!(most.load(SeqCst) <= 3, "{} at a time", most.load(SeqCst));
        occupants.into_iter().for_each(|job| runtime.block_on(job).expect("no panic"));
    });
}

/// A thread that comes for a job calls the next, so that a crowd is not called by one alone: no job
/// is forgotten on the way.
#[test]
fn each_blocking_job_of_a_crowd_has_a_thread() {
    within_a_minute(|| {
        let runtime = with_pool_of(100);
        for _ in 0..3 {
            let (release, jobs) = occupy(&runtime, 100);
            drop(release);
            jobs.into_iter().for_each(|job| runtime.block_on(job).expect("no panic"));
        }
    });
}

#[test]
fn an_idle_thread_is_used_again() {
    within_a_minute(|| {
        let runtime = with_pool_of(100);
        let mut threads = HashSet::new();
        for _ in 0..200 {
            threads.insert(runtime.block_on(runtime.spawn_blocking(|| thread::current().id())).expect("no panic"));
        }
        // A job may come a moment before the thread of the last is back.
        assert!(threads.len() < 50, "{} threads for jobs one after the other", threads.len());
    });
}

#[test]
fn idle_threads_end_after_the_keep_alive_time() {
    within_a_minute(|| {
        let (stopped, is_stopped) = channel();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_keep_alive(Duration::from_millis(20))
            .on_thread_stop(move || {
                let _ = stopped.send(thread::current().id());
            })
            .build()
            .expect("a runtime");
        let (release, jobs) = occupy(&runtime, 5);
        drop(release);
        jobs.into_iter().for_each(|job| runtime.block_on(job).expect("no panic"));
        let ended: HashSet<_> = (0..5).map(|_| is_stopped.recv_timeout(LIMIT).expect("five threads end")).collect();
        assert_eq!(ended.len(), 5);
        // And a new one comes when it is needed.
        let fresh = runtime.block_on(runtime.spawn_blocking(|| thread::current().id())).expect("no panic");
        assert!(!ended.contains(&fresh));
    });
}

#[test]
fn idle_threads_are_kept_for_the_keep_alive_time() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("kept-alive")
            .thread_keep_alive(LIMIT * 2)
            .build()
            .expect("a runtime");
        let (release, jobs) = occupy(&runtime, 5);
        drop(release);
        jobs.into_iter().for_each(|job| runtime.block_on(job).expect("no panic"));
        // A thread names itself as it starts: the machine's has by the time that it has run
        // something.
        runtime.run(async {});
        assert_eq!(count_threads("kept-alive"), 1 + 5, "one machine, five threads of the pool");
        drop(runtime);
        assert_eq!(count_threads("kept-alive"), 0, "the end does not wait for the keep-alive time");
    });
}

#[test]
fn threads_have_the_name_and_call_the_hooks() {
    within_a_minute(|| {
        let (started, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (starts, stops) = (Arc::clone(&started), Arc::clone(&stopped));
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name_fn({
                let number = AtomicUsize::new(0);
                move || format!("named-{}", number.fetch_add(1, SeqCst))
            })
            .on_thread_start(move || {
                starts.fetch_add(1, SeqCst);
            })
            .on_thread_stop(move || {
                stops.fetch_add(1, SeqCst);
            })
            .build()
            .expect("a runtime");
        let name = runtime.block_on(runtime.spawn_blocking(|| thread::current().name().map(str::to_owned)));
        assert_eq!(name.expect("no panic").as_deref(), Some("named-2"), "the first two are the machines");
        drop(runtime);
        assert_eq!((started.load(SeqCst), stopped.load(SeqCst)), (3, 3));
    });
}

#[test]
fn a_queued_job_can_be_aborted_a_running_one_cannot() {
    within_a_minute(|| {
        let runtime = with_pool_of(1);
        let (release, mut occupants) = occupy(&runtime, 1);
        let occupant = occupants.pop().expect("there is one");
        let queued = runtime.spawn_blocking(|| panic!("this must not run"));
        queued.abort();
        occupant.abort();
        drop(release);
        assert!(runtime.block_on(queued).expect_err("it was aborted").is_cancelled());
        runtime.block_on(occupant).expect("it had begun");
    });
}

#[test]
fn jobs_may_spawn_tasks_and_jobs_and_wait_for_them() {
    within_a_minute(|| {
        let runtime = with_pool_of(8);
        let handle = runtime.handle().clone();
        let job = runtime.spawn_blocking(move || {
            let task = wsrt::spawn(async { spawn_blocking(|| 7).await.expect("no panic") });
            handle.block_on(task).expect("no panic")
        });
        assert_eq!(runtime.block_on(job).expect("no panic"), 7);
    });
}

#[test]
fn jobs_from_many_threads_all_run() {
    within_a_minute(|| {
        let runtime = with_pool_of(4);
        let ran = Arc::new(AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        let ran = Arc::clone(&ran);
                        let job = runtime.spawn_blocking(move || ran.fetch_add(1, SeqCst));
                        runtime.block_on(job).expect("no panic");
                    }
                });
            }
        });
        assert_eq!(ran.load(SeqCst), 4_000);
    });
}

/// A stack that no system has room for: each attempt to start a thread fails.
#[test]
fn a_job_survives_the_systems_refusal_of_a_thread() {
    let test = "a_job_survives_the_systems_refusal_of_a_thread";
    let output = in_a_process_of_its_own(test, &[], || {
        let runtime = Builder::new_current_thread().thread_stack_size(1 << 46).build().expect("it needs no thread");
        let sum = runtime.block_on(async {
            let jobs: Vec<_> = (0..10).map(|number| spawn_blocking(move || number)).collect();
            let mut sum = 0;
            for job in jobs {
                sum += job.await.expect("it runs on the processor");
            }
            sum
        });
        assert_eq!(sum, 45);
    });
    let errors = text_of(&output);
    assert!(errors.contains("wsrt: no thread for a blocking job ("), "{errors}");
}

/// A pool with one idle thread and a job in its queue, while a submitter is in the middle of
/// starting a second thread.
struct Stranded {
    runtime: Arc<Runtime>,
    job: JoinHandle<()>,
    /// Ends the start of the second thread, which fails.
    refuse: Sender<()>,
    submitter: thread::JoinHandle<()>,
}

impl Stranded {
    fn with_keep_alive(keep_alive: Duration) -> Self {
        let (refuse, refused) = channel::<()>();
        let (asked, is_asked) = channel();
        let (number, refused) = (AtomicUsize::new(0), Mutex::new(refused));
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_keep_alive(keep_alive).thread_name_fn(move || {
            if number.fetch_add(1, SeqCst) < 2 {
                return "stranded".to_owned();
            }
            let _ = asked.send(());
            let _ = refused.lock().expect("one at a time").recv();
            panic!("no name for a second thread of the pool");
        });
        let runtime = Arc::new(builder.build().expect("a runtime"));
        let (release, mut occupants) = occupy(&runtime, 1);
        let submitter = thread::spawn({
            let runtime = Arc::clone(&runtime);
            move || runtime.block_on(runtime.spawn_blocking(|| ())).expect("the first thread comes to it")
        });
        is_asked.recv_timeout(LIMIT).expect("a second thread is to be started");
        drop(release);
        let occupant = occupants.pop().expect("there is one");
        runtime.block_on(occupant).expect("no panic");
        let metrics = || runtime.metrics().snapshot();
        while metrics().num_idle_blocking_threads() != 1 || metrics().blocking_queue_depth() != 0 {
            thread::yield_now();
        }
        let job = runtime.spawn_blocking(|| ());
        Self { runtime, job, refuse, submitter }
    }
}

#[test]
fn an_idle_thread_takes_over_when_another_is_refused() {
    within_a_minute(|| {
        let Stranded { runtime, job, refuse, submitter } = Stranded::with_keep_alive(Duration::MAX);
        drop(refuse);
        runtime.block_on(job).expect("the idle thread is called for it");
        submitter.join().expect("no panic");
    });
}

#[test]
fn an_idle_thread_never_ends_beside_a_waiting_job() {
    within_a_minute(|| {
        // Long enough that the thread is there still when the job comes, however busy the day.
        let Stranded { runtime, job, refuse, submitter } = Stranded::with_keep_alive(Duration::from_secs(2));
        runtime.block_on(job).expect("the thread whose time is over looks once more");
        drop(refuse);
        submitter.join().expect("no panic");
    });
}

/// Its thread may have come for it by then or not: which, is no affair of the program's.
#[test]
fn a_lone_job_runs_even_if_its_runtime_ends() {
    within_a_minute(|| {
        let waits = runtime_with(1);
        for number in 0..100 {
            let ends = runtime_with(1);
            let job = ends.spawn_blocking(move || number);
            drop(ends);
            assert_eq!(waits.block_on(job).expect("a thread was started for it"), number);
        }
    });
}
