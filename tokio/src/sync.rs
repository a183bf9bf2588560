//! Channels, locks and other primitives for synchronizing tasks.

pub use wsrt_sync::{
    AcquireError, Barrier, BarrierWaitResult, MappedMutexGuard, Mutex, MutexGuard, Notify, OnceCell,
    OwnedMappedMutexGuard, OwnedMutexGuard, OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard,
    OwnedSemaphorePermit, RwLock, RwLockMappedWriteGuard, RwLockReadGuard, RwLockWriteGuard, Semaphore,
    SemaphorePermit, SetError, SetOnce, SetOnceError, TryAcquireError, TryLockError, broadcast, mpsc, oneshot, watch,
};

/// The named futures of this module.
pub mod futures {
    pub use wsrt_sync::{Notified, OwnedNotified};
}
