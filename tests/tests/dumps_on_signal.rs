//! A program with the switch on writes a dump to standard error for each signal, even if all its
//! processors are stuck.
#![cfg(unix)]

use std::future::pending;
use std::io::{self, BufRead, BufReader, Lines, Read};
use std::process::{self, Child, ChildStderr, Command};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use wsrt::runtime::{Builder, Runtime};
use wsrt::signal::unix::{SignalKind, signal};
use wsrt::task;
use wsrt_tests::{
    Gate, LIMIT, Manner, beside_a_process_of_its_own, count_threads, in_a_process_of_its_own,
    in_a_process_whose_errors_nobody_reads, text_of, within_a_minute,
};

const SIGNAL: SignalKind = SignalKind::user_defined2();
const HEADLINE: &str = "wsrt dump: ";

/// Sends the signal to the process `id`, which would not survive it without a listener.
fn send_to(id: u32) {
    let status = Command::new("kill").args(["-USR2", &id.to_string()]).status().expect("there is a `kill`");
    assert!(status.success(), "{status}");
}

/// Sends the signal to this process, and waits until it has come: the signal reaches listeners in
/// the order in which they were made, so that the last one gets it after all others.
fn send() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut listener = signal(SIGNAL).expect("any number may listen");
        send_to(process::id());
        assert_eq!(listener.recv().await, Some(()));
    });
}

fn count_dumps(errors: &str) -> usize {
    errors.lines().filter(|line| line.starts_with(HEADLINE)).count()
}

fn stuck_runtime(gate: &Gate, builder: &mut Builder) -> Runtime {
    let runtime = builder.worker_threads(1).max_machines(1).build().expect("a runtime");
    let hold = gate.hold();
    let (stuck, is_stuck) = channel();
    let poll = async move {
        stuck.send(()).expect("the test waits");
        hold.wait(Manner::Burning);
    };
    drop(task::Builder::new().name("stuck").spawn_on(poll, runtime.handle()));
    is_stuck.recv_timeout(LIMIT).expect("it is polled");
    runtime
}

/// A process that is asked for dumps from outside, and ends when its standard input does.
struct Asked {
    child: Child,
    errors: Lines<BufReader<ChildStderr>>,
}

impl Asked {
    fn new(test: &str, environment: &[(&str, &str)], body: impl FnOnce()) -> Self {
        let mut child = beside_a_process_of_its_own(test, environment, body);
        let errors = BufReader::new(child.stderr.take().expect("it is a pipe")).lines();
        let mut asked = Self { child, errors };
        asked.line_with("ready");
        asked
    }

    /// The next line that has `text` in it.
    fn line_with(&mut self, text: &str) -> String {
        let line = self.errors.find_map(|line| line.ok().filter(|line| line.contains(text)));
        line.unwrap_or_else(|| panic!("the process ended without a line with {text:?}"))
    }

    /// A dump's line with `text` in it.
    fn ask_for_line_with(&mut self, text: &str) -> String {
        send_to(self.child.id());
        self.line_with(HEADLINE);
        self.line_with(text)
    }

    /// Ends it, and returns the rest of its output.
    fn end(mut self) -> Vec<String> {
        drop(self.child.stdin.take());
        let rest = self.errors.map(|line| line.expect("it is text")).collect();
        assert!(self.child.wait().expect("it ends").success());
        rest
    }
}

/// Reports that the process is ready, and waits until its standard input closes.
fn until_asked_to_end() {
    eprintln!("ready");
    io::stdin().read_to_end(&mut Vec::new()).expect("the test closes it");
}

#[test]
fn each_signal_is_a_dump_though_the_processor_is_stuck() {
    let test = "each_signal_is_a_dump_though_the_processor_is_stuck";
    let mut asked = Asked::new(test, &[("WSRT_STALL_MS", "0")], || {
        let gate = Gate::new();
        let runtime = stuck_runtime(&gate, Builder::new_multi_thread().dump_on_signal(SIGNAL).task_stats(true));
        until_asked_to_end();
        gate.open();
        drop(runtime);
    });
    for _ in 0..3 {
        let stuck = asked.ask_for_line_with(" \"stuck\", spawned at ");
        assert!(stuck.contains(": running on P0 for ") && stuck.contains("; age "), "{stuck}");
    }
    assert_eq!(asked.end().iter().find(|line| line.starts_with(HEADLINE)), None, "three signals, three dumps");
}

#[test]
fn the_environment_switches_it_on_and_statistics_too() {
    for name in ["SIGUSR2", "USR2"] {
        let test = "the_environment_switches_it_on_and_statistics_too";
        let mut asked = Asked::new(test, &[("WSRT_DUMP_SIGNAL", name), ("WSRT_TASK_STATS", "1")], || {
            let gate = Gate::new();
            let runtime = stuck_runtime(&gate, &mut Builder::new_multi_thread());
            until_asked_to_end();
            gate.open();
            drop(runtime);
        });
        let stuck = asked.ask_for_line_with(" \"stuck\", spawned at ");
        assert!(stuck.contains("; age "), "{stuck}");
        asked.end();
    }
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64", any(target_arch = "aarch64", target_arch = "x86_64")))]
fn the_environment_asks_for_the_lines_of_waits() {
    async fn waits_for_ever() {
        wsrt::time::sleep(LIMIT * 10).await;
    }
    let test = "the_environment_asks_for_the_lines_of_waits";
    let mut asked = Asked::new(test, &[("WSRT_DUMP_SIGNAL", "SIGUSR2,chains")], || {
        let runtime = Runtime::new().expect("a runtime");
        drop(task::Builder::new().name("waits").spawn_on(async { waits_for_ever().await }, runtime.handle()));
        while runtime.handle().dump().tasks()[0].waits_on().is_empty() {
            thread::yield_now();
        }
        until_asked_to_end();
    });
    asked.ask_for_line_with(" \"waits\", spawned at ");
    let line = asked.line_with("::waits_for_ever at ");
    assert!(line.contains("dumps_on_signal.rs:"), "{line}");
    asked.end();
}

#[test]
fn nonsense_in_the_environment_is_said_once_and_ignored() {
    let test = "nonsense_in_the_environment_is_said_once_and_ignored";
    let environment = [("WSRT_DUMP_SIGNAL", "SIGNONSENSE"), ("WSRT_TASK_STATS", "maybe")];
    let output = in_a_process_of_its_own(test, &environment, || {
        for _ in 0..2 {
            Runtime::new().expect("it runs all the same").block_on(async {});
        }
    });
    let errors = text_of(&output);
    let mut lines: Vec<_> = errors.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "wsrt: WSRT_DUMP_SIGNAL=SIGNONSENSE is not the name of a signal, such as SIGUSR2; no dumps are written",
            "wsrt: WSRT_TASK_STATS=maybe is neither 1 nor 0; no statistics of tasks are kept",
        ]
    );
}

#[test]
fn a_signal_that_cannot_be_handled_is_a_clear_error() {
    let error = Builder::new_multi_thread().dump_on_signal(SignalKind::from_raw(9)).build().expect_err("it cannot");
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert!(error.to_string().contains("SIGKILL"), "{error}");
}

#[test]
fn a_closed_standard_error_ends_no_program() {
    let output = in_a_process_whose_errors_nobody_reads("a_closed_standard_error_ends_no_program", || {
        let gate = Gate::new();
        let runtime = stuck_runtime(&gate, Builder::new_multi_thread().dump_on_signal(SIGNAL));
        for _ in 0..2 {
            send();
        }
        gate.open();
        assert_eq!(runtime.block_on(runtime.spawn(async { 7 })).expect("it goes on"), 7);
    });
    assert!(output.status.success(), "{}", output.status);
}

#[test]
fn a_runtime_that_does_not_end_reports_why() {
    let mut asked = Asked::new("a_runtime_that_does_not_end_reports_why", &[], || {
        let gate = Gate::new();
        let hold = gate.hold();
        let runtime = Builder::new_multi_thread().dump_on_signal(SIGNAL).build().expect("a runtime");
        let (begun, has_begun) = channel();
        let (dropped, is_dropped) = channel::<()>();
        let job = move || {
            begun.send(()).expect("the test waits");
            hold.wait(Manner::Asleep);
        };
        drop(task::Builder::new().name("endless").spawn_blocking_on(job, runtime.handle()));
        has_begun.recv_timeout(LIMIT).expect("it is run");
        // Its future is dropped when the runtime has begun to end.
        drop(runtime.spawn(async move {
            let _dropped = dropped;
            pending::<()>().await;
        }));
        let ending = thread::spawn(move || drop(runtime));
        assert!(is_dropped.recv_timeout(LIMIT).is_err());
        until_asked_to_end();
        gate.open();
        ending.join().expect("no panic");
        // No listener is left, and the signal has lost its default effect all the same.
        send();
    });
    let endless = asked.ask_for_line_with(" \"endless\"");
    assert!(endless.starts_with("blocking job ") && endless.contains(": running"), "{endless}");
    asked.end();
}

#[test]
fn other_listeners_still_receive_the_signal() {
    let output = in_a_process_of_its_own("other_listeners_still_receive_the_signal", &[], || {
        let runtime = Builder::new_multi_thread().dump_on_signal(SIGNAL).build().expect("a runtime");
        runtime.block_on(async {
            let mut listener = signal(SIGNAL).expect("any number may listen");
            send_to(process::id());
            assert_eq!(listener.recv().await, Some(()));
        });
    });
    assert_eq!(count_dumps(&text_of(&output)), 1);
}

#[test]
fn the_thread_ends_with_its_runtime() {
    let output = in_a_process_of_its_own("the_thread_ends_with_its_runtime", &[], || {
        within_a_minute(|| {
            let is_there = || count_threads("wsrt-dump") > 0;
            let runtime = Builder::new_current_thread().dump_on_signal(SIGNAL).build().expect("a runtime");
            let began = Instant::now();
            while !is_there() && began.elapsed() < LIMIT {
                thread::yield_now();
            }
            drop(runtime);
            while is_there() {
                thread::yield_now();
            }
        });
    });
    assert_eq!(text_of(&output), "");
}
