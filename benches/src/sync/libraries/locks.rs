//! Mutexes, readers-writer locks and semaphores.

use std::future::Future;

use super::{AsyncLock, Futures, Library, Tokio, Wsrt};

/// The mutex of a library, around a count.
pub(crate) trait Lock: Library {
    type Mutex: Send + Sync + 'static;

    fn make() -> Self::Mutex;

    /// Locks, counts and unlocks.
    fn count(mutex: &Self::Mutex) -> impl Future<Output = ()> + Send;

    /// Locks, counts, and unlocks once `then` is ready.
    fn count_while(mutex: &Self::Mutex, then: impl Future<Output = ()> + Send) -> impl Future<Output = ()> + Send;

    fn into_count(mutex: Self::Mutex) -> usize;
}

/// The readers-writer lock of a library, around a count.
pub(crate) trait ReadLock: Library {
    type RwLock: Send + Sync + 'static;

    fn make() -> Self::RwLock;

    /// Locks for reading, reads the count and unlocks.
    fn read(lock: &Self::RwLock) -> impl Future<Output = usize> + Send;

    /// Locks for writing, counts and unlocks.
    fn count(lock: &Self::RwLock) -> impl Future<Output = ()> + Send;
}

/// The semaphore of a library.
pub(crate) trait Semaphore: Library {
    type Semaphore: Send + Sync + 'static;

    fn make(permits: usize) -> Self::Semaphore;

    /// Takes a permit and gives it back.
    fn pass(semaphore: &Self::Semaphore) -> impl Future<Output = ()> + Send;
}

macro_rules! mutex {
    ($library:ident, $mutex:ty) => {
        impl Lock for $library {
            type Mutex = $mutex;

            fn make() -> Self::Mutex {
                <$mutex>::new(0)
            }

            async fn count(mutex: &Self::Mutex) {
                *mutex.lock().await += 1;
            }

            async fn count_while(mutex: &Self::Mutex, then: impl Future<Output = ()> + Send) {
                let mut count = mutex.lock().await;
                *count += 1;
                then.await;
            }

            fn into_count(mutex: Self::Mutex) -> usize {
                mutex.into_inner()
            }
        }
    };
}

macro_rules! read_lock {
    ($library:ident, $lock:ty) => {
        impl ReadLock for $library {
            type RwLock = $lock;

            fn make() -> Self::RwLock {
                <$lock>::new(0)
            }

            async fn read(lock: &Self::RwLock) -> usize {
                *lock.read().await
            }

            async fn count(lock: &Self::RwLock) {
                *lock.write().await += 1;
            }
        }
    };
}

macro_rules! semaphore {
    ($library:ident, $semaphore:ty) => {
        impl Semaphore for $library {
            type Semaphore = $semaphore;

            fn make(permits: usize) -> Self::Semaphore {
                <$semaphore>::new(permits)
            }

            async fn pass(semaphore: &Self::Semaphore) {
                drop(semaphore.acquire().await.expect("it is never closed"));
            }
        }
    };
}

mutex!(Wsrt, wsrt::sync::Mutex<usize>);
mutex!(Tokio, tokio::sync::Mutex<usize>);
mutex!(AsyncLock, async_lock::Mutex<usize>);
mutex!(Futures, futures_util::lock::Mutex<usize>);
read_lock!(Wsrt, wsrt::sync::RwLock<usize>);
read_lock!(Tokio, tokio::sync::RwLock<usize>);
read_lock!(AsyncLock, async_lock::RwLock<usize>);
semaphore!(Wsrt, wsrt::sync::Semaphore);
semaphore!(Tokio, tokio::sync::Semaphore);

impl Semaphore for AsyncLock {
    type Semaphore = async_lock::Semaphore;

    fn make(permits: usize) -> Self::Semaphore {
        async_lock::Semaphore::new(permits)
    }

    async fn pass(semaphore: &Self::Semaphore) {
        drop(semaphore.acquire().await);
    }
}
