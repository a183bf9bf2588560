//! Any value may be in the environment: a runtime is built, or the error names the variable; each
//! other bad value is reported, and ignored.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::thread;

use wsrt_fuzz::{Mutator, corpus};
use wsrt_tests::{Directory, example};

const VARIABLES: [&str; 11] = [
    "WSRT_WORKER_THREADS",
    "WSRT_MAX_MACHINES",
    "WSRT_SCHEDTRACE",
    "WSRT_STALL_MS",
    "WSRT_TASK_STATS",
    "WSRT_LATENCY_HISTOGRAMS",
    "WSRT_SITE_POLLS",
    "WSRT_NAME_POLLS",
    "WSRT_FLIGHT",
    "WSRT_TRACE_DIR",
    "WSRT_DUMP_SIGNAL",
];

/// Whether a thread has panicked, but for the task of the example that does so on purpose.
fn has_panicked(errors: &str) -> bool {
    errors.lines().any(|line| line.contains("panicked at") && !line.contains("examples/hello.rs"))
}

/// Each variable has the value. A worker count that is taken for one may be as high as the builder
/// allows: some hundred threads do.
fn is_a_large_count(value: &[u8]) -> bool {
    String::from_utf8_lossy(value).trim().parse::<u64>().is_ok_and(|count| (100..=4096).contains(&count))
}

#[test]
fn no_value_of_a_variable_breaks_a_program() {
    let (hello, directory) = (example("hello"), Directory::new());
    let corpus = corpus("environment", &[",", "detail", "SIG", "USR1", " ", "+"]);
    let mut mutator = Mutator::new(&corpus, 1);
    let mutations: Vec<_> = (0..40).map(|_| mutator.next_input()).collect();
    let is_tried = |value: &&Vec<u8>| !value.contains(&0) && !is_a_large_count(value);
    let values: Vec<_> = corpus.inputs.iter().chain(&mutations).filter(is_tried).collect();
    // Each program sleeps for most of its time.
    thread::scope(|scope| {
        for values in values.chunks(values.len().div_ceil(8)) {
            scope.spawn(|| values.iter().for_each(|value| assert_value_is_taken_or_refused(value, &hello, &directory)));
        }
    });
}

fn assert_value_is_taken_or_refused(value: &[u8], hello: &Path, directory: &Directory) {
    let mut command = Command::new(hello);
    // The traces are written into the directory, whatever their names.
    command.current_dir(directory.path("."));
    command.envs(VARIABLES.map(|variable| (variable, OsStr::from_bytes(value))));
    let output = command.output().expect("the example starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!has_panicked(&errors), "{value:?}: {errors}");
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(1), "{value:?}: {errors}");
        assert!(errors.contains("WSRT_WORKER_THREADS=") || errors.contains("worker threads"), "{value:?}: {errors}");
    }
}

#[test]
fn no_name_of_a_trace_breaks_a_program() {
    let (hello, directory) = (example("hello"), Directory::new());
    for name in
        ["", ".", "..", "a", ".hidden", "no/such/folder/trace", "/", "/dev/full", "/dev/null", "a.b.c", "\u{fffd}", "-"]
    {
        let mut command = Command::new(&hello);
        let output = command.current_dir(directory.path(".")).env("WSRT_TRACE", name).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !has_panicked(&errors), "{name:?}: {errors}");
    }
}
