//! A poll that holds its processor for long is counted, passed to the hook, and reported on
//! standard error once for each stack.

use std::hint::black_box;
use std::ops::Range;
use std::panic::{self, Location};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use wsrt::runtime::{Backtrace, Builder, Handle, Runtime, Stall};
use wsrt::task::{self, JoinHandle, block_in_place};
use wsrt_tests::{Gate, HAS_STACKS, LIMIT, Manner, in_a_process_of_its_own, text_of, watched, within_a_minute};

/// The wait of a test for silence: many times a threshold of 10 ms, and several times the default.
const LONG: Duration = Duration::from_millis(350);

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
        let (runtime, reports) = watched(1);
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
        let (runtime, reports) = watched(1);
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
fn standard_error_shows_each_stack_once() {
    let test = "standard_error_shows_each_stack_once";
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "20")], || {
        let (runtime, reports) = watched(1);
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
    let lines: Vec<_> = errors.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(lines.len(), 2, "one line for each stack, and the stack below it:\n{errors}");
    let site = format!(", spawned at {}:", file!());
    assert!(lines.iter().all(|line| line.starts_with("wsrt: task ") && line.contains(&site)), "{errors}");
    assert!(lines.iter().all(|line| line.contains("has been in one poll for ") && line.contains(" ms, ")), "{errors}");
    assert!(lines[0].contains(" \"sleeper\", ") && lines[0].contains("asleep in a blocking call"), "{errors}");
    assert!(!lines[1].contains('"') && lines[1].contains("burning CPU time"), "{errors}");
    let stack = errors.lines().filter(|line| line.starts_with("    ") && line.contains("stall_reports.rs:")).count();
    assert!(stack >= 2 || !HAS_STACKS, "{errors}");
}

/// Stalls that come again are counted, with the longest, at each power of ten.
#[test]
fn a_stack_that_comes_again_is_counted() {
    let output = in_a_process_of_its_own("a_stack_that_comes_again_is_counted", &[("WSRT_STALL_MS", "10")], || {
        let (runtime, reports) = watched(1);
        let handle = runtime.handle().clone();
        for round in 1..=10 {
            stall(&reports, Manner::Asleep, |hold| {
                handle.spawn(async move {
                    hold();
                    // The longest of them, after its stack was captured.
                    thread::sleep(Duration::from_millis(if round == 4 { 300 } else { 0 }));
                })
            });
        }
    });
    let errors = text_of(&output);
    let lines: Vec<_> = errors.lines().filter(|line| line.starts_with("wsrt: ")).collect();
    if HAS_STACKS {
        assert_eq!(lines.len(), 2, "{errors}");
        let (_, longest) =
            lines[1].split_once(": 10 stalls with this stack so far, the longest of ").expect("the tenth");
        let longest: u64 = longest.strip_suffix(" ms").and_then(|millis| millis.parse().ok()).expect("milliseconds");
        assert!(longest >= 200, "{errors}");
    }
}

static LOCK: Mutex<u32> = Mutex::new(0);

#[inline(never)]
fn waits_for_the_lock() -> u32 {
    black_box(*LOCK.lock().expect("nobody panics"))
}

const LINE_OF_THE_LOCK: u32 = line!() - 3;

#[inline(never)]
fn computes_until(end: &AtomicBool) -> u64 {
    let mut sum = 0_u64;
    while !end.load(Relaxed) {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
    }
    sum
}

const LINES_OF_THE_LOOP: Range<u32> = line!() - 7..line!() - 1;

/// Whatever is spawned where.
#[test]
fn a_backtrace_names_the_line_that_blocks() {
    if !HAS_STACKS {
        return;
    }
    within_a_minute(|| {
        let (runtime, reports) = watched(1);
        let held = LOCK.lock().expect("nobody panics");
        let task = runtime.spawn(async { waits_for_the_lock() });
        let stall = reports.recv_timeout(LIMIT).expect("it is reported");
        drop(held);
        runtime.block_on(task).expect("no panic");
        let place = stall.backtrace().and_then(Backtrace::place).expect("a frame of this file");
        assert_eq!(place.function(), "stall_reports::waits_for_the_lock");
        assert_eq!(place.line(), Some(LINE_OF_THE_LOCK));
        assert!(place.file().is_some_and(|file| file.ends_with("tests/stall_reports.rs")), "{place}");
        assert!(stall.to_string().ends_with(&format!(", asleep in a blocking call in {place}")), "{stall}");
        let called = stall.backtrace().map(|backtrace| backtrace.frames()[0].function()).expect("a backtrace");
        assert!(called.contains("Mutex"), "{called}");
    });
}

#[test]
fn a_backtrace_names_the_function_that_computes() {
    if !HAS_STACKS {
        return;
    }
    within_a_minute(|| {
        let (runtime, reports) = watched(1);
        let end = Arc::new(AtomicBool::new(false));
        let of_task = Arc::clone(&end);
        let task = runtime.spawn(async move { computes_until(&of_task) });
        let stall = reports.recv_timeout(LIMIT).expect("it is reported");
        end.store(true, Relaxed);
        runtime.block_on(task).expect("no panic");
        let place = stall.backtrace().and_then(Backtrace::place).expect("a frame of this file");
        assert_eq!(place.function(), "stall_reports::computes_until");
        assert!(place.line().is_some_and(|line| LINES_OF_THE_LOOP.contains(&line)), "{place}");
    });
}

/// It is the message, with its backtrace, that takes long.
#[test]
fn a_panic_that_takes_long_is_not_printed() {
    let output = in_a_process_of_its_own("a_panic_that_takes_long_is_not_printed", &[("WSRT_STALL_MS", "20")], || {
        let (runtime, reports) = watched(1);
        panic::set_hook(Box::new(|_| thread::sleep(LONG)));
        let task = runtime.spawn(async { panic!("on purpose") });
        reports.recv_timeout(LIMIT).expect("the hook is called");
        assert!(runtime.block_on(task).is_err());
        let _ = panic::take_hook();
    });
    let errors = text_of(&output);
    assert!(errors.is_empty() || !HAS_STACKS, "{errors}");
}

/// Panics in polls whose panic hook returns as soon as the watcher has seen the stall, so that the
/// stack is asked for in the hook, in a destructor, after the panic or after the poll. `prepare` is
/// called in each task. Returns standard error.
#[track_caller]
fn errors_of_panics(test: &str, prepare: fn()) -> String {
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", "5")], || {
        let (runtime, reports) = watched(1);
        for count in 1..=20 {
            let handle = runtime.handle().clone();
            panic::set_hook(Box::new(move |_| {
                let began = Instant::now();
                let is_seen = || handle.stall_counts().iter().any(|&(_, seen)| seen >= count);
                while !is_seen() && began.elapsed() < LIMIT {
                    thread::yield_now();
                }
            }));
            let task = runtime.spawn(async move {
                prepare();
                panic!("on purpose")
            });
            reports.recv_timeout(LIMIT).expect("the hook for stalls is called");
            assert!(runtime.block_on(task).is_err());
        }
        drop(panic::take_hook());
    });
    text_of(&output)
}

#[test]
fn a_panic_seen_at_any_moment_is_not_printed() {
    let errors = errors_of_panics("a_panic_seen_at_any_moment_is_not_printed", || ());
    assert_eq!(errors, "");
}

/// No stack says that the thread panics.
#[test]
#[cfg(target_os = "linux")]
fn a_panic_without_a_stack_is_not_printed() {
    let errors = errors_of_panics("a_panic_without_a_stack_is_not_printed", || {
        // SAFETY: all its bytes may be zero: it is a C structure of numbers.
        let mut signals: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set is there to be written to.
        unsafe { libc::sigaddset(&raw mut signals, libc::SIGURG) };
        // SAFETY: the set is read, and the old one is not wanted.
        let status = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, std::ptr::null_mut()) };
        assert_eq!(status, 0);
    });
    assert_eq!(errors, "");
}

/// Runs `body` in one poll of a runtime's only processor, and returns its standard error. Checks
/// that the hook saw nothing.
#[track_caller]
fn errors_of_a_quiet_poll(test: &str, stall_ms: &str, body: impl FnOnce() + Send + 'static) -> String {
    let output = in_a_process_of_its_own(test, &[("WSRT_STALL_MS", stall_ms)], || {
        let (runtime, reports) = watched(1);
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
        let (runtime, reports) = watched(1);
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
