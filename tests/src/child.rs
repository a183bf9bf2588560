//! Processes of their own, for tests about a whole process: its environment, its standard error,
//! its threads.

use std::env;
use std::fs;
use std::process::{Child, Command, Output, Stdio, exit};

/// Set in the process that runs the body of a test. Its value is the test's name.
const MARK: &str = "WSRT_TESTS_CHILD";

/// Runs `body` in a process of its own, with `environment` added to this one's, and returns its
/// output and status.
///
/// `test` is the full name of the test that calls this: the process is the test program once more,
/// with that one test to run, which calls this function again. The calling test must do nothing
/// harmful before; the process does not reach the code after the call. Variables that wsrt reads
/// are not handed down.
///
/// # Panics
///
/// Panics if the process cannot be started.
#[must_use = "its status says whether the body has failed"]
pub fn in_a_process_of_its_own(test: &str, environment: &[(&str, &str)], body: impl FnOnce()) -> Output {
    run_if_child(test, body);
    let program = env::current_exe().expect("the test program has a path");
    start_again(Command::new(program), test, environment)
}

/// Runs `body` in a process of its own that may open as many files as the system allows it.
///
/// # Panics
///
/// Panics if the process cannot be started.
#[must_use = "its status says whether the body has failed"]
pub fn in_a_process_with_many_files(test: &str, body: impl FnOnce()) -> Output {
    in_a_process_with_files(test, "$(ulimit -H -n)", body)
}

/// Runs `body` in a process of its own that may open as many files as `limit` says: a number, or
/// text that the shell expands to one.
///
/// # Panics
///
/// Panics if the process cannot be started.
#[must_use = "its status says whether the body has failed"]
pub fn in_a_process_with_files(test: &str, limit: &str, body: impl FnOnce()) -> Output {
    run_if_child(test, body);
    let program = env::current_exe().expect("the test program has a path");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -S -n \"{limit}\"; exec \"$0\" \"$@\"")).arg(program);
    start_again(shell, test, &[])
}

/// Runs `body` in a process whose standard error cannot be written, since its reader has gone.
///
/// # Panics
///
/// Panics if the process cannot be started.
#[cfg(unix)]
#[must_use = "its status says whether the body has failed"]
pub fn in_a_process_whose_errors_nobody_reads(test: &str, body: impl FnOnce()) -> Output {
    run_if_child(test, body);
    let (errors, reader) = std::os::unix::net::UnixStream::pair().expect("sockets are to be had");
    drop(reader);
    let mut command = Command::new(env::current_exe().expect("the test program has a path"));
    command.stderr(std::os::fd::OwnedFd::from(errors));
    start_again(command, test, &[])
}

/// How many files this process may have open at a time.
///
/// # Panics
///
/// Without Linux's `/proc`.
#[must_use]
pub fn open_file_limit() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").expect("Linux lists the limits of a process");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("files are limited");
    let soft = line.split_whitespace().nth(3).expect("the soft limit comes first");
    soft.parse().unwrap_or(usize::MAX)
}

fn run_if_child(test: &str, body: impl FnOnce()) {
    if env::var_os(MARK).is_some_and(|name| name == test) {
        body();
        exit(0);
    }
}

/// Starts `body` in a process of its own, whose standard input and error are pipes to this one.
///
/// Unlike [`in_a_process_of_its_own`], it does not wait for the end.
///
/// # Panics
///
/// Panics if the process cannot be started.
pub fn beside_a_process_of_its_own(test: &str, environment: &[(&str, &str)], body: impl FnOnce()) -> Child {
    run_if_child(test, body);
    let mut command = Command::new(env::current_exe().expect("the test program has a path"));
    prepare(&mut command, test, environment);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the test program starts a second time")
}

fn start_again(mut command: Command, test: &str, environment: &[(&str, &str)]) -> Output {
    prepare(&mut command, test, environment);
    command.output().expect("the test program starts a second time")
}

fn prepare(command: &mut Command, test: &str, environment: &[(&str, &str)]) {
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env_remove("WSRT_WORKER_THREADS")
        .env_remove("WSRT_SCHEDTRACE")
        .env_remove("WSRT_STALL_MS")
        .env_remove("WSRT_TASK_STATS")
        .env_remove("WSRT_DUMP_SIGNAL")
        .env_remove("WSRT_TRACE")
        .env_remove("WSRT_TRACE_DIR")
        .env_remove("WSRT_MAX_MACHINES")
        .env_remove("WSRT_LATENCY_HISTOGRAMS")
        .env_remove("WSRT_FLIGHT")
        .env_remove("WSRT_SITE_POLLS")
        .env_remove("WSRT_NAME_POLLS")
        .env_remove("WSRT_DEBUG")
        .env(MARK, test)
        .envs(environment.iter().copied());
}

/// The standard error of a process that has ended well.
///
/// # Panics
///
/// Panics if it has not, with its output.
#[track_caller]
pub fn text_of(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "the process ended with {}\nstdout:\n{}\nstderr:\n{errors}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
    errors
}
