//! What a runtime reports goes to one place: its hook, or standard error, and never both.

use std::future::pending;
use std::io::{BufRead, BufReader, stdin};
use std::sync::mpsc::{Receiver, channel};

use wsrt::runtime::{Builder, Report, ReportKind, Runtime};
use wsrt::sync::{Barrier, Mutex};
use wsrt_tests::{LIMIT, beside_a_process_of_its_own, eventually, in_a_process_of_its_own, text_of};

/// Makes a stall that lasts until it is counted, an orphan and a deadlock.
fn go_wrong(runtime: &Runtime) {
    let handle = runtime.handle().clone();
    let is_counted = move || handle.metrics().snapshot().stall_count() > 0;
    drop(runtime.spawn(async { eventually("the stall is not counted", is_counted) }));
    drop(runtime.spawn(pending::<()>()));
    let locks: &'static [Mutex<()>; 2] = Box::leak(Box::default());
    let both: &'static Barrier = Box::leak(Box::new(Barrier::new(2)));
    for (first, second) in [(0, 1), (1, 0)] {
        drop(runtime.spawn(async move {
            let _first = locks[first].lock().await;
            both.wait().await;
            drop(locks[second].lock().await);
        }));
    }
}

const KINDS: [ReportKind; 3] = [ReportKind::Stall, ReportKind::Orphan, ReportKind::Deadlock];

/// Waits for one report of each kind.
#[track_caller]
fn await_all(reports: &Receiver<Report>) {
    let mut missing = KINDS.to_vec();
    while !missing.is_empty() {
        let report = reports.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("no report of {missing:?}"));
        missing.retain(|&kind| kind != report.kind());
    }
}

fn two_workers(set: impl FnOnce(&mut Builder)) -> Runtime {
    let mut builder = Builder::new_multi_thread();
    set(builder.worker_threads(2));
    builder.build().expect("a runtime")
}

#[test]
fn a_hook_takes_all_reports_and_nothing_is_printed() {
    let output = in_a_process_of_its_own("a_hook_takes_all_reports_and_nothing_is_printed", &[], || {
        let (report, reports) = channel();
        let runtime = two_workers(|builder| {
            builder.on_report(move |found: &Report| drop(report.send(found.clone())));
        });
        go_wrong(&runtime);
        await_all(&reports);
    });
    assert_eq!(text_of(&output), "");
}

/// Runs `body` in a process of its own until there are reports of a deadlock and an orphan, and
/// returns its standard error.
fn errors_of(test: &str, body: impl FnOnce() -> Runtime) -> String {
    let mut child = beside_a_process_of_its_own(test, &[], || {
        let runtime = body();
        stdin().read_line(&mut String::new()).expect("the test ends");
        drop(runtime);
    });
    let input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map(|line| line.expect("text") + "\n");
    let mut errors = String::new();
    while !(errors.contains("a deadlock: ") && errors.contains(" is an orphan: ")) {
        errors += &lines.next().expect("all is reported");
    }
    drop(input);
    errors.extend(lines);
    assert!(child.wait().expect("it ends").success());
    errors
}

#[test]
fn a_hook_for_stalls_takes_the_stalls_alone() {
    let errors = errors_of("a_hook_for_stalls_takes_the_stalls_alone", || {
        let (stalled, stalls) = channel();
        let runtime = two_workers(|builder| {
            builder.on_stall(move |stall| _ = stalled.send(stall.duration));
        });
        go_wrong(&runtime);
        stalls.recv_timeout(LIMIT).expect("the hook is called");
        runtime
    });
    assert!(!errors.contains("has been in one poll"), "{errors}");
}

#[test]
fn without_a_hook_each_report_is_printed_once() {
    let errors = errors_of("without_a_hook_each_report_is_printed_once", || {
        let runtime = two_workers(|_| {});
        go_wrong(&runtime);
        runtime
    });
    for words in ["has been in one poll for ", "wsrt: a deadlock: ", " is an orphan: "] {
        assert_eq!(errors.matches(words).count(), 1, "{words}: {errors}");
    }
}

#[test]
fn a_hook_may_use_the_runtime_and_report_again() {
    let output = in_a_process_of_its_own("a_hook_may_use_the_runtime_and_report_again", &[], || {
        let (report, reports) = channel();
        let runtime = two_workers(|builder| {
            builder.on_report(move |found: &Report| {
                // Runs inside the runtime, where a task may be spawned.
                let (report, found) = (report.clone(), found.clone());
                drop(wsrt::spawn(async move { drop(report.send(found)) }));
            });
        });
        go_wrong(&runtime);
        await_all(&reports);
    });
    assert_eq!(text_of(&output), "");
}
