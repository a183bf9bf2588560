//! Tells which runtime runs the caller.
//!
//! It asks wsrt itself, under its own name, beside the `tokio` of the patch: so each test that uses
//! it shows, too, that a program can use both.

use std::fs;
use std::thread;

use wsrt::runtime::{Handle, RuntimeFlavor};

/// Asserts that a task of wsrt's calls this, on a thread of wsrt's. (A current-thread runtime has
/// none of its own.)
///
/// # Panics
///
/// Panics if it is not so, with the name of the thread.
#[track_caller]
pub fn assert_is_a_task_of_wsrt() {
    let thread = thread::current();
    let name = thread.name().unwrap_or("a thread without a name");
    assert!(wsrt::task::try_id().is_some(), "no task of wsrt's runs here, on {name}");
    let has_threads = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    assert!(!has_threads || name.starts_with("wsrt-"), "a task of wsrt's runs on {name}");
}

/// Asserts that no thread of this process belongs to tokio, by the names that the system knows.
///
/// # Panics
///
/// Panics with the names if there is one.
#[track_caller]
pub fn assert_no_thread_is_tokio_s() {
    let names = names_of_threads();
    assert!(!names.is_empty(), "this process has threads");
    assert!(names.iter().all(|name| !name.contains("tokio")), "{names:?}");
}

/// Returns the name of each thread of this process, cut to 15 bytes as Linux cuts them.
///
/// # Panics
///
/// Panics where there is no `/proc`.
#[must_use]
pub fn names_of_threads() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").expect("Linux tells a process its threads");
    // A thread may end between the two look-ups.
    let names = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.map(|name| name.trim_end().to_owned()).collect()
}

/// Asserts that a task is alive, in the caller's runtime, that was spawned by a source whose path
/// contains `part`. A dependency's path contains its name.
///
/// # Panics
///
/// Panics if there is none, with the sources that have spawned one.
#[track_caller]
pub fn assert_wsrt_runs_a_task_of(part: &str) {
    let dump = Handle::current().dump();
    let sources: Vec<_> = dump.tasks().iter().map(|task| task.spawned_at().file()).collect();
    assert!(sources.iter().any(|source| source.contains(part)), "none of {part}: {sources:#?}");
}
