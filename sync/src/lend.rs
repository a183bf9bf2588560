//! The doors by which a runtime lends its scheduler and its timers to the locks and channels of its
//! tasks. Without a runtime these work all the same, but for timeouts.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

/// Blocks the calling thread until the future is ready if a task runs on it, and returns `true`
/// then. On a thread without a task it does nothing and returns `false`.
pub type BlockInTask = fn(Pin<&mut dyn Future<Output = ()>>) -> bool;

/// Returns whether a task, or the future in `block_on`, runs on the current thread: not so in a
/// blocking job, nor inside `block_in_place`.
pub type IsAsyncHere = fn() -> bool;

/// Returns a future that is ready once the time has passed.
pub type NewSleep = fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

static BLOCK_IN_TASK: OnceLock<BlockInTask> = OnceLock::new();
static IS_ASYNC_HERE: OnceLock<IsAsyncHere> = OnceLock::new();
static NEW_SLEEP: OnceLock<NewSleep> = OnceLock::new();

/// Makes each blocking call inside a task wait by `block_in_task` from now on.
///
/// The function runs the runtime's other tasks during the wait. Only the first call has an effect.
pub fn set_block_in_task(block_in_task: BlockInTask) {
    let _ = BLOCK_IN_TASK.set(block_in_task);
}

/// Makes blocking calls ask `is_async_here` whether they would block tasks. Only the first call has
/// an effect.
pub fn set_is_async_here(is_async_here: IsAsyncHere) {
    let _ = IS_ASYNC_HERE.set(is_async_here);
}

/// Makes timeouts wait for the future that `new_sleep` returns. Only the first call has an effect.
pub fn set_sleep(new_sleep: NewSleep) {
    let _ = NEW_SLEEP.set(new_sleep);
}

/// Returns `false`, and has done nothing, if no task runs on this thread.
#[must_use = "without a task the caller has to wait by itself"]
pub(crate) fn block_in_task(future: Pin<&mut dyn Future<Output = ()>>) -> bool {
    BLOCK_IN_TASK.get().is_some_and(|block_in_task| block_in_task(future))
}

/// Returns whether a task runs on this thread, as far as the runtime has told.
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
