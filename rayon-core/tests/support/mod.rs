//! Waits of tests.

#[cfg(target_os = "linux")]
use std::fs;
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Runs `body` on a thread of its own, which is leaked if it takes longer.
pub(crate) fn within_a_minute<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, is_done) = channel();
    let runs = thread::spawn(move || done.send(body()));
    match is_done.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(RecvTimeoutError::Disconnected) => std::panic::resume_unwind(runs.join().expect_err("it has sent nothing")),
    }
}

/// The files in which Linux shows the calling thread.
#[cfg(target_os = "linux")]
pub(crate) fn this_thread() -> PathBuf {
    Path::new("/proc").join(fs::read_link("/proc/thread-self").expect("Linux has it"))
}

/// Waits until a thread sleeps, which has nothing to do any more but to wait.
#[cfg(target_os = "linux")]
pub(crate) fn await_sleep(thread: &Path) {
    while !fs::read_to_string(thread.join("stat")).expect("the thread is there").contains(") S ") {
        thread::yield_now();
    }
}
