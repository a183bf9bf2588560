//! Assertions about which runtime the caller runs on.
//!
//! The assertions query wsrt under its own name, alongside the patched `tokio` crate. Each test
//! that uses them therefore also shows that a program can use both crates.

use std::fs;
use std::thread;

use wsrt::runtime::{Handle, RuntimeFlavor};

/// Asserts that the caller is a wsrt task on one of wsrt's own threads. (A current-thread runtime
/// has no threads of its own.)
///
/// # Panics
///
/// Panics if the caller is not such a task. The message contains the name of the thread.
#[track_caller]
pub fn assert_is_a_task_of_wsrt() {
    let thread = thread::current();
    let name = thread.name().unwrap_or("a thread without a name");
    assert!(wsrt::task::try_id().is_some(), "no task of wsrt's runs here, on {name}");
    let has_threads = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    assert!(!has_threads || name.starts_with("wsrt-"), "a task of wsrt's runs on {name}");
}

/// Asserts that no thread of this process belongs to tokio, judging by the thread names that the OS
/// reports.
///
/// # Panics
///
/// Panics if a thread belongs to tokio. The message contains the names of all such threads.
#[track_caller]
pub fn assert_no_thread_is_tokio_s() {
    let names = names_of_threads();
    assert!(!names.is_empty(), "this process has threads");
    assert!(names.iter().all(|name| !name.contains("tokio")), "{names:?}");
}

/// Returns the names of all threads of this process, truncated to 15 bytes by Linux.
///
/// # Panics
///
/// Panics if the system has no `/proc`.
#[must_use]
pub fn names_of_threads() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").expect("Linux tells a process its threads");
    // A thread may end between the two look-ups.
    let names = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.map(|name| name.trim_end().to_owned()).collect()
}

/// Asserts that the caller's runtime has a live task that was spawned from a source file whose path
/// contains `part`. The path of a dependency contains the dependency's name.
///
/// # Panics
///
/// Panics if there is no such task. The message lists the source files that have spawned live
/// tasks.
#[track_caller]
pub fn assert_wsrt_runs_a_task_of(part: &str) {
    let dump = Handle::current().dump();
    let sources: Vec<_> = dump.tasks().iter().map(|task| task.spawned_at().file()).collect();
    assert!(sources.iter().any(|source| source.contains(part)), "none of {part}: {sources:#?}");
}
