//! Each operation that waits notes what it waits for, and takes that back as it leaves its line.
#![cfg(not(wsrt_loom))]

use std::future::Future;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::task::{Context, Waker};
use wsrt_sync::wait::{TaskWait, WaitKind, noted};
use wsrt_sync::{Barrier, CancellationToken, Mutex, Notify, OnceCell, RwLock, Semaphore, SetOnce};
use wsrt_sync::{broadcast, mpmc, mpsc, oneshot, watch};

/// The kind and the line of what the poll on this thread waits for.
fn awaited() -> Option<(WaitKind, u32)> {
    // SAFETY: it comes from `pack`.
    let wait = unsafe { TaskWait::unpack(noted()) }?;
    assert_eq!(wait.place.file(), file!());
    Some((wait.kind, wait.place.line()))
}

fn poll<F: Future>(future: Pin<&mut F>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

/// Checks that this future waits for that from its first poll to its end, and no longer.
fn notes<F: Future>(kind: WaitKind, made_at: u32, future: F) {
    notes_only(kind, made_at, future);
    assert_eq!(awaited(), None, "{kind:?} was dropped");
}

/// Checks that this future waits for that. It has no line to leave: it is the only one.
fn notes_only<F: Future>(kind: WaitKind, made_at: u32, future: F) {
    let _kept = wsrt_sync::budget::keep();
    wsrt_sync::budget::refill();
    let mut future = pin!(future);
    for _ in 0..2 {
        assert!(!poll(future.as_mut()), "{kind:?}");
        if usize::BITS == 64 {
            assert_eq!(awaited(), Some((kind, made_at)), "{kind:?}");
        }
        wsrt_sync::budget::refill();
        assert_eq!(awaited(), None, "a poll begins");
    }
    assert!(!poll(future.as_mut()));
}

/// Returns the value with the line of the call.
#[track_caller]
fn here<T>(made: T) -> (T, u32) {
    (made, Location::caller().line())
}

#[test]
fn waits_for_locks() {
    let (mutex, line) = here(Mutex::new(()));
    let _held = mutex.try_lock().expect("free");
    notes(WaitKind::Mutex, line, mutex.lock());
    let (lock, line) = here(RwLock::new(()));
    let _held = lock.try_write().expect("free");
    notes(WaitKind::RwLockRead, line, lock.read());
    notes(WaitKind::RwLockWrite, line, lock.write());
    let (semaphore, line) = here(Semaphore::new(1));
    notes(WaitKind::Semaphore, line, semaphore.acquire_many(2));
}

#[test]
fn waits_for_events() {
    let (notify, line) = here(Notify::new());
    notes(WaitKind::Notify, line, notify.notified());
    let (barrier, line) = here(Barrier::new(2));
    notes(WaitKind::Barrier, line, barrier.wait());
    let (once, line) = here(SetOnce::<u8>::new());
    notes(WaitKind::SetOnce, line, once.wait());
    let (token, line) = here(CancellationToken::new());
    notes(WaitKind::Cancellation, line, token.cancelled());
    let (cell, line) = here(OnceCell::<u8>::new());
    let mut first = pin!(cell.get_or_init(std::future::pending));
    assert!(!poll(first.as_mut()));
    notes(WaitKind::OnceCell, line, cell.get_or_init(std::future::pending));
}

#[test]
fn waits_for_values() {
    let ((_sender, mut receiver), line) = here(mpsc::channel::<u8>(1));
    notes_only(WaitKind::MpscReceive, line, receiver.recv());
    let ((_sender, mut receiver), line) = here(mpsc::unbounded_channel::<u8>());
    notes_only(WaitKind::MpscReceive, line, receiver.recv());
    let ((_sender, receiver), line) = here(mpmc::channel::<u8>(1));
    notes(WaitKind::MpmcReceive, line, receiver.recv());
    notes(WaitKind::MpmcReceive, line, receiver.recv_many(&mut Vec::new(), 2));
    let ((_sender, receiver), line) = here(oneshot::channel::<u8>());
    notes(WaitKind::OneshotReceive, line, receiver);
    let ((_sender, mut receiver), line) = here(broadcast::channel::<u8>(1));
    notes(WaitKind::BroadcastReceive, line, receiver.recv());
    let ((_sender, mut receiver), line) = here(watch::channel(1));
    notes(WaitKind::WatchChanged, line, receiver.changed());
}

#[test]
fn waits_for_receivers() {
    let ((sender, _receiver), line) = here(mpsc::channel(1));
    notes(WaitKind::MpscClosed, line, sender.closed());
    sender.try_send(1).expect("there is room");
    notes(WaitKind::MpscSend, line, sender.send(2));
    notes(WaitKind::MpscSend, line, sender.reserve());
    let ((sender, _receiver), line) = here(mpsc::unbounded_channel::<u8>());
    notes(WaitKind::MpscClosed, line, sender.closed());
    let ((sender, _receiver), line) = here(mpmc::channel(1));
    notes(WaitKind::MpmcClosed, line, sender.closed());
    sender.try_send(1).expect("there is room");
    notes(WaitKind::MpmcSend, line, sender.send(2));
    let ((mut sender, _receiver), line) = here(oneshot::channel::<u8>());
    notes_only(WaitKind::OneshotClosed, line, sender.closed());
    let ((sender, _receiver), line) = here(broadcast::channel::<u8>(1));
    notes(WaitKind::BroadcastClosed, line, sender.closed());
    let ((sender, _receiver), line) = here(watch::channel(1));
    notes(WaitKind::WatchClosed, line, sender.closed());
}

#[test]
fn each_kind_has_a_name_and_words() {
    for (index, kind) in WaitKind::ALL.into_iter().enumerate() {
        assert!(!kind.name().is_empty() && !kind.awaited().is_empty());
        let others = &WaitKind::ALL[..index];
        assert!(others.iter().all(|other| (other.name(), other.awaited()) != (kind.name(), kind.awaited())));
    }
    assert_eq!((WaitKind::Mutex.name(), WaitKind::Mutex.awaited()), ("mutex", "Mutex"));
}
