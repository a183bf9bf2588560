//! The futures of channels and locks, which tasks hold across awaits.

use super::futures::{future_is_send_and_sync, lent};
use std::cell::Cell;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use wsrt::sync::{
    Barrier, CancellationToken, Mutex, Notify, OnceCell, RwLock, Semaphore, SetOnce, broadcast, mpmc, mpsc, oneshot,
    watch,
};

fn future_is_send<F: Future + Send>(_: impl FnOnce() -> F) {}

fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn futures_of_channels_may_move_and_be_shared() {
    future_is_send_and_sync(|| lent::<mpsc::Sender<u8>>().send(7));
    future_is_send_and_sync(|| lent::<mpsc::Sender<u8>>().send_timeout(7, Duration::ZERO));
    future_is_send_and_sync(|| lent::<mpsc::Sender<u8>>().reserve());
    future_is_send_and_sync(|| lent::<mpsc::Sender<u8>>().reserve_many(7));
    future_is_send_and_sync(|| lent::<mpsc::Sender<u8>>().clone().reserve_owned());
    future_is_send_and_sync(|| lent::<mpsc::Sender<u8>>().closed());
    future_is_send_and_sync(|| lent::<mpsc::Receiver<u8>>().recv());
    future_is_send_and_sync(|| lent::<mpsc::Receiver<u8>>().recv_many(lent::<Vec<u8>>(), 7));
    future_is_send_and_sync(|| lent::<mpsc::UnboundedSender<u8>>().closed());
    future_is_send_and_sync(|| lent::<mpsc::UnboundedReceiver<u8>>().recv());
    future_is_send_and_sync(|| lent::<mpsc::UnboundedReceiver<u8>>().recv_many(lent::<Vec<u8>>(), 7));
    future_is_send_and_sync(|| lent::<mpmc::Sender<u8>>().send(7));
    future_is_send_and_sync(|| lent::<mpmc::Sender<u8>>().closed());
    future_is_send_and_sync(|| lent::<mpmc::Receiver<u8>>().recv());
    future_is_send_and_sync(|| lent::<mpmc::Receiver<u8>>().recv_many(lent::<Vec<u8>>(), 7));
    future_is_send_and_sync(lent::<oneshot::Receiver<u8>>);
    future_is_send_and_sync(|| lent::<oneshot::Sender<u8>>().closed());
    future_is_send_and_sync(|| lent::<watch::Receiver<u8>>().changed());
    future_is_send_and_sync(|| lent::<watch::Receiver<u8>>().wait_for(|value| *value == 7));
    future_is_send_and_sync(|| lent::<watch::Sender<u8>>().closed());
    future_is_send_and_sync(|| lent::<broadcast::Receiver<u8>>().recv());
    future_is_send_and_sync(|| lent::<broadcast::Sender<u8>>().closed());
}

#[test]
fn futures_of_locks_may_move_and_be_shared() {
    future_is_send_and_sync(|| lent::<Mutex<u8>>().lock());
    future_is_send_and_sync(|| lent::<Arc<Mutex<u8>>>().clone().lock_owned());
    future_is_send_and_sync(|| lent::<RwLock<u8>>().read());
    future_is_send_and_sync(|| lent::<RwLock<u8>>().write());
    future_is_send_and_sync(|| lent::<Arc<RwLock<u8>>>().clone().read_owned());
    future_is_send_and_sync(|| lent::<Arc<RwLock<u8>>>().clone().write_owned());
    future_is_send_and_sync(|| lent::<Semaphore>().acquire());
    future_is_send_and_sync(|| lent::<Semaphore>().acquire_many(7));
    future_is_send_and_sync(|| lent::<Arc<Semaphore>>().clone().acquire_owned());
    future_is_send_and_sync(|| lent::<Arc<Semaphore>>().clone().acquire_many_owned(7));
    future_is_send_and_sync(|| lent::<Notify>().notified());
    future_is_send_and_sync(|| lent::<Arc<Notify>>().clone().notified_owned());
    future_is_send_and_sync(|| lent::<Barrier>().wait());
    future_is_send_and_sync(|| lent::<OnceCell<u8>>().get_or_init(|| std::future::ready(7)));
    future_is_send_and_sync(|| lent::<OnceCell<u8>>().get_or_try_init(|| std::future::ready(Err(()))));
    future_is_send_and_sync(|| lent::<SetOnce<u8>>().wait());
    future_is_send_and_sync(|| lent::<CancellationToken>().cancelled());
    future_is_send_and_sync(|| lent::<CancellationToken>().clone().cancelled_owned());
    future_is_send_and_sync(|| lent::<CancellationToken>().run_until_cancelled(std::future::ready(())));
    future_is_send_and_sync(|| lent::<CancellationToken>().clone().run_until_cancelled_owned(std::future::ready(())));
}

/// A value that may move to another thread, and may not be shared, goes through channels and locks.
#[test]
fn values_need_only_be_send() {
    type Value = Cell<u8>;
    future_is_send(|| lent::<mpsc::Sender<Value>>().send(Cell::new(7)));
    future_is_send(|| lent::<mpsc::Sender<Value>>().send_timeout(Cell::new(7), Duration::ZERO));
    future_is_send(|| lent::<mpsc::Receiver<Value>>().recv());
    future_is_send(|| lent::<mpsc::UnboundedReceiver<Value>>().recv());
    future_is_send(|| lent::<mpmc::Sender<Value>>().send(Cell::new(7)));
    future_is_send(|| lent::<mpmc::Receiver<Value>>().recv());
    future_is_send(lent::<oneshot::Receiver<Value>>);
    future_is_send(|| lent::<broadcast::Receiver<Value>>().recv());
    future_is_send(|| lent::<Mutex<Value>>().lock());
    future_is_send(|| lent::<Arc<Mutex<Value>>>().clone().lock_owned());
    is_send_and_sync::<mpsc::Sender<Value>>();
    is_send_and_sync::<mpsc::Receiver<Value>>();
    is_send_and_sync::<mpsc::UnboundedSender<Value>>();
    is_send_and_sync::<mpmc::Sender<Value>>();
    is_send_and_sync::<mpmc::Receiver<Value>>();
    is_send_and_sync::<oneshot::Sender<Value>>();
    is_send_and_sync::<oneshot::Receiver<Value>>();
    is_send_and_sync::<broadcast::Sender<Value>>();
    is_send_and_sync::<broadcast::Receiver<Value>>();
    is_send_and_sync::<Mutex<Value>>();
}
