//! What a runtime lends to the locks and channels of its tasks. Without it they work all the same,
//! but for timeouts.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

/// Runs a function that blocks the calling thread, after the thread's tasks went elsewhere.
pub type BlockInPlace = fn(&mut dyn FnMut());

/// Returns a future that is ready once the time has passed.
pub type NewSleep = fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

static BLOCK_IN_PLACE: OnceLock<BlockInPlace> = OnceLock::new();
static NEW_SLEEP: OnceLock<NewSleep> = OnceLock::new();

/// Has every blocking call run inside `block_in_place` from now on.
///
/// A runtime hands the processor of the calling task over, so that no other task waits. The
/// function that is set first stays. It is called on all threads, and does nothing but call what it
/// is given on those that are not the runtime's.
pub fn set_block_in_place(block_in_place: BlockInPlace) {
    let _ = BLOCK_IN_PLACE.set(block_in_place);
}

/// Has timeouts wait for what `new_sleep` returns. The function that is set first stays.
pub fn set_sleep(new_sleep: NewSleep) {
    let _ = NEW_SLEEP.set(new_sleep);
}

pub(crate) fn block_in_place(wait: &mut dyn FnMut()) {
    match BLOCK_IN_PLACE.get() {
        Some(block_in_place) => block_in_place(wait),
        None => wait(),
    }
}

/// # Panics
///
/// If no runtime lends its timers.
pub(crate) fn sleep(duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>> {
    let new_sleep = NEW_SLEEP.get().expect("a timeout takes a runtime with timers, and none was made yet");
    new_sleep(duration)
}
