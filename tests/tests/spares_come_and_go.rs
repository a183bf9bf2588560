//! Spare processors are there while polls are stuck, up to a limit, and go away again.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::{Builder, Handle, Metrics, Runtime};
use wsrt::task::JoinHandle;
use wsrt::time::sleep;
use wsrt_tests::{Gate, LIMIT, Manner, count_threads, in_a_process_of_its_own, text_of, within_a_minute};

const TASKS: usize = 12;

/// Holds `count` threads at once, until the gate is opened.
fn hold(runtime: &Runtime, count: usize) -> (Gate, Vec<JoinHandle<()>>) {
    let gate = Gate::new();
    let (began, has_begun) = channel();
    let tasks: Vec<_> = (0..count)
        .map(|_| {
            let (began, hold) = (began.clone(), gate.hold());
            runtime.spawn(async move {
                began.send(()).expect("the test waits");
                hold.wait(Manner::Asleep);
            })
        })
        .collect();
    (0..count).for_each(|_| has_begun.recv_timeout(LIMIT).expect("each begins while the others are held"));
    (gate, tasks)
}

/// Holds [`TASKS`] threads at once, and lets them go when all are held and `meanwhile` is over.
fn hold_many(runtime: &Runtime, meanwhile: impl FnOnce()) {
    let (gate, tasks) = hold(runtime, TASKS);
    meanwhile();
    gate.open();
    tasks.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
}

#[track_caller]
fn until_there_are(threads: usize, name: &str) {
    let end = Instant::now() + LIMIT;
    while count_threads(name) != threads {
        assert!(Instant::now() < end, "{} threads are left, not {threads}", count_threads(name));
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn threads_end_when_their_keep_alive_time_is_over() {
    within_a_minute(|| {
        for (processors, name) in [(1, "spares-of-one"), (2, "spares-of-two")] {
            let runtime = Builder::new_multi_thread()
                .worker_threads(processors)
                .thread_name(name)
                .thread_keep_alive(Duration::from_millis(20))
                .build()
                .expect("a runtime");
            for _ in 0..3 {
                hold_many(&runtime, || assert!(count_threads(name) >= TASKS, "one thread for each"));
                until_there_are(processors, name);
                assert_eq!(runtime.run(async { 7 }), 7, "what is left is whole");
            }
        }
    });
}

#[test]
fn threads_never_end_when_they_are_kept_for_ever() {
    let test = "threads_never_end_when_they_are_kept_for_ever";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "0")], || {
        for forever in [Duration::MAX, Duration::from_secs(u64::MAX / 4)] {
            let name = "spares-forever";
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name(name)
                .thread_keep_alive(forever)
                .build()
                .expect("a runtime");
            hold_many(&runtime, || assert!(count_threads(name) >= TASKS, "one thread for each"));
            // Until those that are no longer needed have fallen asleep.
            thread::sleep(Duration::from_millis(50));
            let there_are = count_threads(name);
            assert!(there_are >= TASKS, "{there_are} threads are left");
            hold_many(&runtime, || ());
            drop(runtime);
            assert_eq!(count_threads(name), 0, "the end does not wait for the keep-alive time");
        }
    });
    assert_eq!(text_of(&output), "");
}

/// The numbers behind `field=` in the lines of the scheduler's trace.
fn traced(errors: &str, field: &str) -> Vec<usize> {
    let field = format!(" {field}=");
    let lines = errors.lines().filter(|line| line.starts_with("SCHED "));
    let values = lines.map(|line| {
        let (_, rest) = line.split_once(&field).expect("the field is in every line");
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().expect("a number")
    });
    values.collect()
}

#[test]
fn the_trace_shows_them_come_and_go() {
    let test = "the_trace_shows_them_come_and_go";
    let environment = [("WSRT_SCHEDTRACE", "10"), ("WSRT_STALL_MS", "0")];
    let output = in_a_process_of_its_own(test, &environment, || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        // Each of the two times is long enough for the trace to print.
        hold_many(&runtime, || thread::sleep(Duration::from_millis(300)));
        let is_over = |metrics: &Metrics| metrics.num_spare_processors() == 0 && metrics.num_idle_processors() == 2;
        let end = Instant::now() + LIMIT;
        while !is_over(&runtime.metrics().snapshot()) {
            assert!(Instant::now() < end, "{:#?}", runtime.metrics().snapshot());
            thread::sleep(Duration::from_millis(1));
        }
        runtime.block_on(sleep(Duration::from_millis(300)));
    });
    let errors = text_of(&output);
    let spares = traced(&errors, "spareprocs");
    // The last poll to begin needs no spare: nothing waits behind it.
    assert!(spares.iter().any(|&spares| spares >= TASKS - 3), "{errors}");
    assert_eq!(spares.last(), Some(&0), "{errors}");
    assert_eq!(traced(&errors, "idleprocs").last(), Some(&2), "{errors}");
}

#[test]
fn at_the_limit_others_wait_and_that_is_said_once() {
    let test = "at_the_limit_others_wait_and_that_is_said_once";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "0")], || {
        let runtime = Builder::new_multi_thread().worker_threads(2).max_machines(1).build().expect("a runtime");
        // A second time, for messages that appear once.
        for _ in 0..2 {
            nobody_stands_in(&runtime, 2);
        }
    });
    let errors = text_of(&output);
    assert!(
        errors.starts_with("wsrt: the limit of 2 processors is reached, and tasks wait behind stuck polls"),
        "{errors}"
    );
    assert!(errors.contains("`Builder::max_machines` sets the limit"), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn the_limit_counts_processors_with_the_spares_among_them() {
    let test = "the_limit_counts_processors_with_the_spares_among_them";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "0")], || {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(3).build().expect("a runtime");
        nobody_stands_in(&runtime, 3);
    });
    let errors = text_of(&output);
    assert!(errors.starts_with("wsrt: the limit of 3 processors is reached"), "{errors}");
}

/// Holds `count` threads, as many as there can be, and sees one more task wait until they are let
/// go.
fn nobody_stands_in(runtime: &Runtime, count: usize) {
    let (gate, held) = hold(runtime, count);
    let (ran, has_run) = channel();
    let late = runtime.spawn(async move { ran.send(()) });
    // A hundred times as long as it takes with a spare.
    let early = has_run.recv_timeout(Duration::from_millis(300));
    assert_eq!(early, Err(RecvTimeoutError::Timeout), "somebody stands in beyond the limit");
    gate.open();
    has_run.recv_timeout(LIMIT).expect("it runs once a processor is free");
    runtime.block_on(late).expect("no panic").expect("the test listens");
    held.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
}

/// `block_on` in a task hands the processor on: to a thread, as long as there may be one more.
#[test]
fn block_on_in_tasks_keeps_to_the_limit_too() {
    let test = "block_on_in_tasks_keeps_to_the_limit_too";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "0")], || {
        within_a_minute(|| {
            let name = "limited";
            let mut builder = Builder::new_multi_thread();
            let runtime = builder.worker_threads(2).max_machines(4).thread_name(name).build().expect("a runtime");
            let (release, released) = tokio::sync::watch::channel(false);
            let (began, has_begun) = channel();
            let wait_here = |_| {
                let (began, mut released) = (began.clone(), released.clone());
                runtime.spawn(async move {
                    began.send(()).expect("the test waits");
                    let _ = Handle::current().block_on(released.wait_for(|&released| released)).expect("it lives");
                })
            };
            let tasks: Vec<_> = (0..20).map(wait_here).collect();
            (0..4).for_each(|_| has_begun.recv_timeout(LIMIT).expect("there may be four threads"));
            // A hundred times as long as a further one would take.
            let further = has_begun.recv_timeout(Duration::from_millis(300));
            assert_eq!(further, Err(RecvTimeoutError::Timeout), "more tasks run than there may be threads");
            assert_eq!(count_threads(name), 4);
            release.send(true).expect("they wait");
            tasks.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
        });
    });
    let errors = text_of(&output);
    assert!(errors.starts_with("wsrt: the limit of 4 threads is reached, and tasks wait"), "{errors}");
    assert!(errors.contains("`Builder::max_machines` sets the limit"), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}
