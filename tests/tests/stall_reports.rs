//! A poll that holds its processor for long is counted, passed to the hook, and reported on
//! standard error once for each site.

use std::panic::Location;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, Runtime, Stall};
use wsrt::task::{self, JoinHandle, block_in_place};
use wsrt_tests::{Gate, LIMIT, Manner, in_a_process_of_its_own, text_of, within_a_minute};

/// The wait of a test for silence: many times a threshold of 10 ms, and several times the default.
const LONG: Duration = Duration::from_millis(350);

/// A runtime with one processor, and the stalls that its hook is given.
fn watched() -> (Runtime, Receiver<Stall>) {
    let (report, reports) = channel();
    let hook = move |stall: &Stall| drop(report.send(stall.clone()));
    let runtime = Builder::new_multi_thread().worker_threads(1).on_stall(hook).build().expect("a runtime");
    (runtime, reports)
}

/// Has `spawn` spawn a task whose poll lasts until it is reported, and returns the report.
#[track_caller]
fn stall(
    reports: &Receiver<Stall>,
    manner: Manner,
    spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> JoinHandle<()>,
) -> Stall {
    let gate = Gate::new();
    let hold = gate.hold();
    let task = spawn(Box::new(move || hold.wait(manner)));
    let stall = reports.recv_timeout(LIMIT).expect("a poll that goes on and on is reported");
    assert_eq!(stall.task_id.to_string(), task.id().to_string());
    assert_eq!(stall.asleep, manner == Manner::Asleep, "{stall}");
    gate.open();
    Runtime::new().expect("a runtime").block_on(task).expect("no panic");
    stall
}

#[test]
fn the_hook_gets_every_stall_with_name_and_site() {
    within_a_minute(|| {
        let (runtime, reports) = watched();
        let handle = runtime.handle().clone();
        for manner in Manner::ALL {
            let mut line = 0;
            let seen = stall(&reports, manner, |hold| {
                line = line!() + 1;
                task::Builder::new().name("resize").spawn_on(async { hold() }, &handle)
            });
            assert_eq!(seen.task_name.as_deref(), Some("resize"));
            assert_eq!((seen.spawned_at.file(), seen.spawned_at.line()), (file!(), line));
            assert!(seen.duration >= Duration::from_millis(100), "{seen}");
        }
        let seen = stall(&reports, Manner::Asleep, |hold| handle.spawn(async { hold() }));
        assert_eq!(seen.task_name, None);
    });
}

#[test]
fn the_handle_counts_them_by_site() {
    within_a_minute(|| {
        let (runtime, reports) = watched();
        let handle = runtime.handle().clone();
        assert_eq!(handle.stall_counts(), []);
        let thrice: Vec<_> =
            (0..3).map(|_| stall(&reports, Manner::Asleep, |hold| handle.spawn(async { hold() })).spawned_at).collect();
        let once = stall(&reports, Manner::Asleep, |hold| handle.spawn(async { hold() })).spawned_at;
        assert!(thrice.iter().all(|&site| site == thrice[0] && site != once));
        let mut expected: Vec<(&Location<'_>, u64)> = vec![(thrice[0], 3), (once, 1)];
        let mut counts = handle.stall_counts();
        expected.sort();
        counts.sort();
        assert_eq!(counts, expected);
        assert_eq!(Runtime::new().expect("a runtime").handle().stall_counts(), [], "each runtime counts its own");
    });
}

#[test]
fn standard_error_names_each_site_once() {
    let test = "standard_error_names_each_site_once";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "20")], || {
        let (runtime, reports) = watched();
        let handle = runtime.handle().clone();
        for _ in 0..3 {
            stall(&reports, Manner::Asleep, |hold| {
                task::Builder::new().name("sleeper").spawn_on(async { hold() }, &handle)
            });
        }
        let burner = stall(&reports, Manner::Burning, |hold| handle.spawn(async { hold() }));
        assert!(burner.duration < Duration::from_secs(10), "{burner}");
    });
    let errors = text_of(&output);
    let lines: Vec<_> = errors.lines().collect();
    assert_eq!(lines.len(), 2, "one line for each site:\n{errors}");
    let site = format!(", spawned at {}:", file!());
    assert!(lines.iter().all(|line| line.starts_with("wsrt: task ") && line.contains(&site)), "{errors}");
    assert!(lines.iter().all(|line| line.contains("has been in one poll for ") && line.contains(" ms, ")), "{errors}");
    assert!(lines[0].contains(" \"sleeper\", ") && lines[0].contains("asleep in a blocking call"), "{errors}");
    assert!(!lines[1].contains('"') && lines[1].contains("burning CPU time"), "{errors}");
}

/// Runs `body` in one poll of a runtime's only processor, and returns its standard error. Checks
/// that the hook saw nothing.
#[track_caller]
fn errors_of_a_quiet_poll(test: &str, stall_ms: &str, body: impl FnOnce() + Send + 'static) -> String {
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", stall_ms)], || {
        let (runtime, reports) = watched();
        runtime.run(async { body() });
        assert_eq!(runtime.handle().stall_counts(), []);
        drop(runtime);
        assert!(reports.recv().is_err(), "there was nothing to report");
    });
    text_of(&output)
}

#[test]
fn zero_turns_reports_off() {
    let errors = errors_of_a_quiet_poll("zero_turns_reports_off", "0", || thread::sleep(LONG));
    assert_eq!(errors, "");
}

#[test]
fn a_threshold_that_is_not_reached_is_silent() {
    let errors = errors_of_a_quiet_poll("a_threshold_that_is_not_reached_is_silent", "60000", || thread::sleep(LONG));
    assert_eq!(errors, "");
}

#[test]
fn block_in_place_is_no_stall() {
    let errors = errors_of_a_quiet_poll("block_in_place_is_no_stall", "10", || block_in_place(|| thread::sleep(LONG)));
    assert_eq!(errors, "");
}

#[test]
fn block_on_in_a_task_is_no_stall() {
    let errors = errors_of_a_quiet_poll("block_on_in_a_task_is_no_stall", "10", || {
        Handle::current().block_on(wsrt::time::sleep(LONG));
    });
    assert_eq!(errors, "");
}

#[test]
fn a_threshold_that_is_no_number_is_reported_once() {
    let test = "a_threshold_that_is_no_number_is_reported_once";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "abc")], || {
        drop(Runtime::new().expect("it is built all the same"));
        let (runtime, reports) = watched();
        let handle = runtime.handle().clone();
        let seen = stall(&reports, Manner::Asleep, |hold| handle.spawn(async { hold() }));
        assert!(seen.duration >= Duration::from_millis(100), "the default stands: {seen}");
    });
    let errors = text_of(&output);
    let complaints: Vec<_> = errors.lines().filter(|line| line.contains("WSRT_STALL_MS=abc")).collect();
    assert_eq!(complaints.len(), 1, "{errors}");
    assert!(complaints[0].starts_with("wsrt: WSRT_STALL_MS=abc is not a number of milliseconds"), "{errors}");
    assert!(complaints[0].ends_with("stalls are reported after 100 ms"), "{errors}");
}

/// A name changes nothing else about a task.
#[test]
fn tasks_of_every_kind_may_be_named() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let handle = runtime.handle().clone();
        let name = String::from("not static");
        let on_handle = task::Builder::new().name(&name).spawn_on(async { 1 }, &handle);
        assert_eq!(runtime.block_on(on_handle).expect("no panic"), 1);
        runtime.run(async move {
            let named = || task::Builder::new().name(&name);
            assert_eq!(named().spawn(async { 2 }).await.expect("no panic"), 2);
            assert_eq!(named().spawn_blocking(|| 3).await.expect("no panic"), 3);
            assert_eq!(task::Builder::new().spawn(async { 4 }).await.expect("no panic"), 4);
            let aborted = named().spawn(std::future::pending::<()>());
            aborted.abort();
            assert!(aborted.await.expect_err("it was aborted").is_cancelled());
        });
        let local = Builder::new_current_thread().build().expect("a runtime");
        let five = std::rc::Rc::new(5);
        let sum = local.block_on(async move {
            let name = String::from("local");
            task::Builder::new().name(&name).spawn_local(async move { *five }).await.expect("no panic")
        });
        assert_eq!(sum, 5);
    });
}
