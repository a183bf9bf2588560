//! Each error says what went wrong, in tokio's words: logs are searched for them.
#![cfg(not(wsrt_loom))]

use std::fmt::Display;
use wsrt_sync::{Mutex, OnceCell, SetOnce, broadcast, mpsc, oneshot, watch};
use wsrt_sync::{Semaphore, SetError, TryAcquireError};

fn says(error: &dyn Display, words: &str) {
    assert_eq!(error.to_string(), words);
}

#[test]
fn of_channels() {
    says(&mpsc::error::SendError(1), "channel closed");
    says(&mpsc::error::TrySendError::Full(1), "no available capacity");
    says(&mpsc::error::TrySendError::Closed(1), "channel closed");
    says(&mpsc::error::TryRecvError::Empty, "receiving on an empty channel");
    says(&mpsc::error::TryRecvError::Disconnected, "receiving on a closed channel");
    says(&mpsc::error::SendTimeoutError::Timeout(1), "timed out waiting on send operation");
    says(&mpsc::error::SendTimeoutError::Closed(1), "channel closed");
    says(&oneshot::error::TryRecvError::Empty, "channel empty");
    says(&oneshot::error::TryRecvError::Closed, "channel closed");
    let (sender, receiver) = oneshot::channel::<()>();
    drop(sender);
    says(&wsrt_sync::blocking::block_on(receiver).unwrap_err(), "channel closed");
    says(&broadcast::error::SendError(1), "channel closed");
    says(&broadcast::error::RecvError::Closed, "channel closed");
    says(&broadcast::error::RecvError::Lagged(3), "channel lagged by 3");
    says(&broadcast::error::TryRecvError::Empty, "channel empty");
    says(&broadcast::error::TryRecvError::Closed, "channel closed");
    says(&broadcast::error::TryRecvError::Lagged(3), "channel lagged by 3");
    says(&watch::error::SendError(1), "channel closed");
    let (sender, mut receiver) = watch::channel(1);
    drop(sender);
    says(&wsrt_sync::blocking::block_on(receiver.changed()).unwrap_err(), "channel closed");
}

#[test]
fn of_locks_and_cells() {
    let mutex = Mutex::new(());
    let _held = mutex.try_lock().unwrap();
    says(&mutex.try_lock().unwrap_err(), "operation would block");
    says(&TryAcquireError::NoPermits, "no permits available");
    says(&TryAcquireError::Closed, "semaphore closed");
    let semaphore = Semaphore::new(0);
    semaphore.close();
    says(&wsrt_sync::blocking::block_on(semaphore.acquire()).unwrap_err(), "semaphore closed");
    let cell = OnceCell::new_with(Some(1));
    let error = cell.set(2).unwrap_err();
    assert!(error.is_already_init_err() && !error.is_initializing_err());
    says(&error, "AlreadyInitializedError");
    let error = SetError::InitializingError(2);
    assert!(error.is_initializing_err() && !error.is_already_init_err());
    says(&error, "InitializingError");
    let once = SetOnce::new_with(Some(1));
    says(&once.set(2).unwrap_err(), "SetOnceError");
}
