//! A deadline: so that a task that is never woken fails its test instead of hanging it.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long any one event may take before a test gives it up for lost. Far longer than anything
/// takes on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(60);
/// How many waits a wait of [`LIMIT`] is made of.
const SLICES: u32 = 600;

/// Looks again and again until `is_so` returns true, where no event tells.
///
/// # Panics
///
/// Panics with `otherwise` if it does not after [`LIMIT`].
#[track_caller]
pub fn eventually(otherwise: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LIMIT, "{otherwise}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Runs `body` on a thread of its own and returns its value.
///
/// # Panics
///
/// Panics with the panic of `body`, or if it is not done after [`LIMIT`].
#[track_caller]
pub fn within_a_minute<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, is_done) = channel();
    let name = thread::current().name().unwrap_or("test").to_owned();
    let thread = thread::Builder::new()
        .name(name)
        .spawn(move || {
            let output = body();
            let _ = done.send(());
            output
        })
        .expect("a thread for the test");
    // In slices: while all processes stand still, as on a machine that is held, only one passes.
    let is_late = (0..SLICES).all(|_| is_done.recv_timeout(LIMIT / SLICES) == Err(RecvTimeoutError::Timeout));
    if is_late {
        panic!("not done after {LIMIT:?}: something was never woken");
    }
    // A sender that is gone without a message has panicked.
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
