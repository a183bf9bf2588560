//! Tells which runtime runs the caller.
//!
//! It asks wsrt itself, under its own name, beside the `tokio` of the patch: so each test that uses
//! it shows, too, that a program can use both.

use std::fs;
use std::thread;

/// Asserts that a task of wsrt's calls this, on a thread of wsrt's.
///
/// # Panics
///
/// Panics if it is not so, with the name of the thread.
#[track_caller]
pub fn assert_is_a_task_of_wsrt() {
    let thread = thread::current();
    let name = thread.name().unwrap_or("a thread without a name");
    assert!(wsrt::task::try_id().is_some(), "no task of wsrt's runs here, on {name}");
    assert!(name.starts_with("wsrt-"), "a task of wsrt's runs on {name}");
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
