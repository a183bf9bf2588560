//! Hooks by which a runtime provides its scheduler and its timers to locks and channels. Locks and
//! channels also work without a runtime, except for timeouts.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

/// A hook that blocks the calling thread until the future completes.
///
/// If a task runs on the current thread, the function drives the future to completion and returns
/// `true`. Otherwise it does nothing and returns `false`.
pub type BlockInTask = fn(Pin<&mut dyn Future<Output = ()>>) -> bool;

/// A hook that returns `true` if the current thread runs a task or a future in `block_on`.
///
/// Returns `false` inside a blocking job and inside `block_in_place`, where blocking is allowed.
pub type IsAsyncHere = fn() -> bool;

/// A hook that returns a future which completes after the given duration.
pub type NewSleep = fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

static BLOCK_IN_TASK: OnceLock<BlockInTask> = OnceLock::new();
static IS_ASYNC_HERE: OnceLock<IsAsyncHere> = OnceLock::new();
static NEW_SLEEP: OnceLock<NewSleep> = OnceLock::new();

/// Sets the function that blocking calls inside tasks use to wait.
///
/// The function runs the runtime's other tasks while it waits. Only the first call of
/// `set_block_in_task` has an effect.
pub fn set_block_in_task(block_in_task: BlockInTask) {
    let _ = BLOCK_IN_TASK.set(block_in_task);
}

/// Sets the function that blocking calls use to find out whether they would block async tasks.
///
/// Only the first call has an effect.
pub fn set_is_async_here(is_async_here: IsAsyncHere) {
    let _ = IS_ASYNC_HERE.set(is_async_here);
}

/// Sets the function that creates the timers of timeouts.
///
/// Only the first call has an effect.
pub fn set_sleep(new_sleep: NewSleep) {
    let _ = NEW_SLEEP.set(new_sleep);
}

/// Blocks on `future` with the runtime's hook. Returns `false`, and does nothing, if no task runs
/// on the current thread.
#[must_use = "without a task the caller has to wait by itself"]
pub(crate) fn block_in_task(future: Pin<&mut dyn Future<Output = ()>>) -> bool {
    BLOCK_IN_TASK.get().is_some_and(|block_in_task| block_in_task(future))
}

/// Returns `true` if the runtime reports that a task runs on the current thread.
pub(crate) fn is_async_here() -> bool {
    IS_ASYNC_HERE.get().is_some_and(|is_async_here| is_async_here())
}

/// # Panics
///
/// If no runtime lends its timers.
pub(crate) fn sleep(duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>> {
    let new_sleep = NEW_SLEEP.get().expect("a timeout takes a runtime with timers, and none was made yet");
    new_sleep(duration)
}
