//! Channels and locks, with tokio's names and semantics.
//!
//! They know wakers and the budget of a poll, and nothing of tasks: they work on any runtime, and
//! between runtimes and plain threads.
//!
//! * **Fairness.** Each operation that completes at once counts against the task's
//!   [budget](crate::task::coop), so a loop of ready operations lets other tasks run, and a
//!   [`timeout`](crate::time::timeout) around it fires. Locks, semaphores and bounded channels
//!   serve their waiters in the order in which they came. A [`Mutex`] that is held for less than a
//!   poll may also go to a task that is running, but a waiting task is passed over a few times at
//!   most.
//! * **Blocking calls.** The functions named `blocking_…` work everywhere. In a task they hand the
//!   processor over for as long as they wait, as `block_on` does: the task is late, the others are
//!   not. On tokio they panic there. A shutdown of the runtime waits for them, as for every poll.
//!
//! # Not guaranteed
//!
//! Blocking calls may not return in the order that you expect where one thread runs all tasks. A
//! current-thread runtime runs its other tasks *inside* of the call, and the futures in
//! [`block_on`](crate::runtime::Runtime::block_on) that are not in the middle of a poll; in a task
//! of a [`LocalSet`](crate::task::LocalSet), on either kind of runtime, the rest of the set
//! continues there. So a call returns only after those that began later on that thread have
//! returned, and one that waits for an earlier call to return waits forever.
//!
//! # Examples
//!
//! ```
//! use wsrt::sync::mpsc;
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! let (sender, mut receiver) = mpsc::channel(8);
//! wsrt::spawn(async move {
//!     for number in 1..=3 {
//!         sender.send(number).await.expect("the receiver is there");
//!     }
//! });
//! let mut sum = 0;
//! while let Some(number) = receiver.recv().await {
//!     sum += number;
//! }
//! assert_eq!(sum, 6);
//! # });
//! # std::io::Result::Ok(())
//! ```

#[doc(inline)]
pub use wsrt_sync::{
    AcquireError, Barrier, BarrierWaitResult, CancellationToken, DropGuard, DropGuardRef, MappedMutexGuard, Mutex,
    MutexGuard, Notified, Notify, OnceCell, OwnedMappedMutexGuard, OwnedMutexGuard, OwnedNotified,
    OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock,
    RwLockMappedWriteGuard, RwLockReadGuard, RwLockWriteGuard, Semaphore, SemaphorePermit, SetError, SetOnce,
    SetOnceError, TryAcquireError, TryLockError, broadcast, mpmc, mpsc, oneshot, watch,
};

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::local::beside::SetAside;
use crate::scheduler::Context;
use crate::scheduler::block_on::block_on_unwatched;

/// Lends the scheduler and the timers of this crate's runtimes to the locks and channels.
pub(crate) fn lend_runtime() {
    wsrt_sync::runtime_hooks::set_block_in_task(block_in_task);
    wsrt_sync::runtime_hooks::set_is_async_here(Context::is_async_here);
    wsrt_sync::runtime_hooks::set_sleep(sleep);
}

fn block_in_task(future: Pin<&mut dyn Future<Output = ()>>) -> bool {
    let set = SetAside::take();
    let context = Context::of_simulation().or_else(Context::of_machine);
    let context = context.or_else(|| Context::current().filter(|_| set.is_polled()));
    let Some(context) = context else { return false };
    block_on_unwatched(&Arc::clone(context.scheduler()), set.around(future));
    true
}

fn sleep(duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>> {
    Box::pin(crate::time::sleep(duration))
}
