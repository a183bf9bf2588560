//! Channels and locks for async tasks, with tokio's names and semantics. With the feature `macros`,
//! the crate also provides [`select!`] and [`join!`].
//!
//! The crate depends on no runtime: it uses only [`Waker`](std::task::Waker) and the per-poll
//! [`budget`]. Channels and locks therefore work on every executor, between executors, and between
//! tasks and plain threads.
//!
//! Most programs use this crate as `wsrt::sync`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(docsrs, doc(auto_cfg(hide(wsrt_loom))))]

#[cfg(not(target_has_atomic = "64"))]
compile_error!(
    "wsrt needs 64-bit atomic operations, which this target has not: its queues, ids and counters are words of 64 bits"
);

#[cfg(target_family = "wasm")]
compile_error!("wsrt needs threads and sockets, which WebAssembly has not");

mod acquire;
mod barrier;
mod batch_semaphore;
pub mod blocking;
pub mod broadcast;
pub mod budget;
mod cancellation;
#[cfg(all(not(wsrt_loom), feature = "console"))]
mod console;
#[cfg(any(wsrt_loom, not(feature = "console")))]
#[path = "console_off.rs"]
mod console;
mod current_poll;
pub mod current_task;
#[doc(hidden)]
pub mod drop_in;
mod guard;
mod hold;
mod holder;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod macros;
pub mod mpmc;
pub mod mpsc;
mod mutex;
mod notify;
mod offer;
mod once_cell;
mod once_value;
pub mod oneshot;
mod request;
#[doc(hidden)]
pub mod rng;
pub mod runtime_hooks;
mod rwlock;
mod semaphore;
mod set_once;
mod short_lock;
mod sync;
pub mod wait;
mod wait_list;
mod wait_queue;
pub mod waited_locks;
mod waker_cell;
mod wakers;
pub mod watch;

pub use self::barrier::{Barrier, BarrierWaitResult};
pub use self::cancellation::{CancellationToken, DropGuard, DropGuardRef};
pub use self::mutex::{MappedMutexGuard, Mutex, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard, TryLockError};
pub use self::notify::{Notified, Notify, OwnedNotified};
pub use self::once_cell::{OnceCell, SetError};
pub use self::rwlock::{
    OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockMappedWriteGuard,
    RwLockReadGuard, RwLockWriteGuard,
};
pub use self::semaphore::{AcquireError, OwnedSemaphorePermit, Semaphore, SemaphorePermit, TryAcquireError};
pub use self::set_once::{SetOnce, SetOnceError};

#[cfg(all(test, wsrt_loom))]
mod loom_models;
