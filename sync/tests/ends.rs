//! The ends of channels count each other, tell which channel they are of, and wait for each other.
#![cfg(not(wsrt_loom))]

use std::sync::Arc;
use tokio_test::{assert_pending, assert_ready, assert_ready_ok, task::spawn};
use wsrt_sync::{broadcast, mpsc, oneshot, watch};

/// The senders of three kinds of channels have the same methods, and no trait.
macro_rules! counts_strong_and_weak_senders {
    ($channel:expr) => {
        let (sender, receiver) = $channel;
        let (second, weak) = (sender.clone(), sender.downgrade());
        let weaker = (weak.clone(), sender.downgrade());
        assert_eq!((sender.strong_count(), weak.strong_count(), receiver.sender_strong_count()), (2, 2, 2));
        assert_eq!((sender.weak_count(), weak.weak_count(), receiver.sender_weak_count()), (3, 3, 3));
        drop(weaker);
        drop((sender, second));
        assert_eq!((weak.strong_count(), receiver.sender_weak_count()), (0, 1));
        assert!(weak.upgrade().is_none());
    };
}

#[test]
fn strong_and_weak_senders_are_counted_apart() {
    counts_strong_and_weak_senders!(mpsc::channel::<u8>(5));
    counts_strong_and_weak_senders!(mpsc::unbounded_channel::<u8>());
    counts_strong_and_weak_senders!(broadcast::channel::<u8>(5));
}

#[test]
fn a_weak_sender_that_is_upgraded_sends() {
    let (sender, mut receiver) = mpsc::channel(5);
    sender.downgrade().upgrade().expect("one is left").try_send(1).expect("there is room");
    assert_eq!((receiver.try_recv(), receiver.sender_strong_count()), (Ok(1), 1));
    let (sender, mut receiver) = mpsc::unbounded_channel();
    sender.downgrade().upgrade().expect("one is left").send(1).expect("it is open");
    assert_eq!((receiver.try_recv(), receiver.sender_strong_count()), (Ok(1), 1));
    let (sender, mut receiver) = broadcast::channel(5);
    assert_eq!(sender.downgrade().upgrade().expect("one is left").send(1).ok(), Some(1));
    assert_eq!((receiver.try_recv(), receiver.sender_strong_count()), (Ok(1), 1));
}

#[test]
fn room_and_values_are_counted() {
    let (sender, mut receiver) = mpsc::channel(5);
    assert!(receiver.is_empty(), "{}", receiver.len());
    (0..3).for_each(|value| sender.try_send(value).expect("there is room"));
    assert_eq!((sender.capacity(), sender.max_capacity()), (2, 5));
    assert_eq!((receiver.capacity(), receiver.max_capacity(), receiver.len()), (2, 5, 3));
    assert!(!receiver.is_empty());
    assert_eq!((receiver.try_recv(), receiver.len()), (Ok(0), 2));

    // More than a block of the queue.
    let (sender, mut receiver) = mpsc::unbounded_channel();
    assert!(receiver.is_empty(), "{}", receiver.len());
    for value in 0..100 {
        sender.send(value).expect("it is open");
        assert_eq!((receiver.len(), receiver.is_empty()), (value + 1, false));
    }
    for value in 0..100 {
        assert_eq!((receiver.try_recv(), receiver.len()), (Ok(value), 99 - value));
    }

    let (sender, mut receiver) = broadcast::channel(4);
    assert!(sender.is_empty() && receiver.is_empty());
    (0..3).for_each(|value| assert_eq!(sender.send(value).ok(), Some(1)));
    let second = sender.subscribe();
    assert_eq!((sender.len(), receiver.len(), second.len(), sender.receiver_count()), (3, 3, 0, 2));
    assert!(!sender.is_empty() && !receiver.is_empty() && second.is_empty());
    assert_eq!((receiver.try_recv(), receiver.len(), sender.len()), (Ok(0), 2, 2));
    drop(second);
    assert_eq!(sender.receiver_count(), 1);

    let (sender, receiver) = watch::channel(1);
    let (senders, receivers) = (sender.clone(), receiver.clone());
    assert_eq!((sender.sender_count(), sender.receiver_count()), (2, 2));
    drop((senders, receivers));
    assert_eq!((sender.sender_count(), sender.receiver_count()), (1, 1));
}

#[test]
fn ends_know_their_channel() {
    let ((one, _of_one), (other, _of_other)) = (mpsc::channel::<u8>(5), mpsc::channel::<u8>(5));
    assert!(one.same_channel(&one.clone()) && !one.same_channel(&other));
    let reserve = |sender: &mpsc::Sender<u8>| sender.clone().try_reserve_owned().expect("there is room");
    assert!(reserve(&one).same_channel(&reserve(&one)) && !reserve(&one).same_channel(&reserve(&other)));
    assert!(reserve(&one).same_channel_as_sender(&one) && !reserve(&one).same_channel_as_sender(&other));
    let ((one, _of_one), (other, _of_other)) = (mpsc::unbounded_channel::<u8>(), mpsc::unbounded_channel::<u8>());
    assert!(one.same_channel(&one.clone()) && !one.same_channel(&other));
    let ((one, of_one), (other, of_other)) = (broadcast::channel::<u8>(5), broadcast::channel::<u8>(5));
    assert!(one.same_channel(&one.clone()) && !one.same_channel(&other));
    assert!(of_one.same_channel(&of_one.resubscribe()) && !of_one.same_channel(&of_other));
    let ((one, of_one), (other, of_other)) = (watch::channel(1), watch::channel(1));
    assert!(one.same_channel(&one.clone()) && !one.same_channel(&other));
    assert!(of_one.same_channel(&of_one.clone()) && !of_one.same_channel(&of_other));
}

#[test]
fn senders_wait_until_the_last_receiver_is_gone() {
    let (sender, receiver) = broadcast::channel::<u8>(4);
    let second = sender.subscribe();
    let mut closed = spawn(sender.closed());
    assert_pending!(closed.poll());
    drop(receiver);
    assert_pending!(closed.poll());
    drop(second);
    assert!(closed.is_woken());
    assert_ready!(closed.poll());

    let (sender, receiver) = watch::channel(1);
    let second = receiver.clone();
    let mut closed = spawn(sender.closed());
    assert_pending!(closed.poll());
    drop(receiver);
    assert!(!sender.is_closed());
    assert_pending!(closed.poll());
    drop(second);
    assert!(closed.is_woken() && sender.is_closed());
    assert_ready!(closed.poll());

    let (sender, mut receiver) = mpsc::channel::<u8>(4);
    let mut closed = spawn(sender.closed());
    assert_pending!(closed.poll());
    assert!(!sender.is_closed() && !receiver.is_closed());
    receiver.close();
    assert!(closed.is_woken() && sender.is_closed() && receiver.is_closed());
    assert_ready!(closed.poll());

    let (sender, mut receiver) = mpsc::unbounded_channel::<u8>();
    let mut closed = spawn(sender.closed());
    assert_pending!(closed.poll());
    assert!(!sender.is_closed() && !receiver.is_closed());
    receiver.close();
    assert!(closed.is_woken() && sender.is_closed() && receiver.is_closed());
    assert_ready!(closed.poll());
}

#[test]
fn a_oneshot_receiver_knows_what_is_left() {
    let (sender, mut receiver) = oneshot::channel();
    assert!(receiver.is_empty() && !receiver.is_terminated() && !sender.is_closed());
    sender.send(1).expect("it is open");
    assert!(!receiver.is_empty() && !receiver.is_terminated());
    assert_eq!(receiver.try_recv(), Ok(1));
    assert!(receiver.is_empty() && receiver.is_terminated());
    let (sender, mut receiver) = oneshot::channel::<u8>();
    receiver.close();
    assert!(sender.is_closed());
    assert_eq!(sender.send(1), Err(1));
}

#[test]
fn a_watched_value_is_new_once() {
    let (sender, mut receiver) = watch::channel(1);
    assert_eq!((receiver.has_changed().ok(), receiver.borrow().has_changed()), (Some(false), false));
    sender.send(2).expect("one watches");
    assert_eq!((receiver.has_changed().ok(), receiver.borrow().has_changed()), (Some(true), true));
    assert_ready_ok!(spawn(receiver.changed()).poll());
    assert_pending!(spawn(receiver.changed()).poll());
    receiver.mark_changed();
    assert_ready_ok!(spawn(receiver.changed()).poll());
    sender.send_replace(3);
    assert_eq!(*receiver.borrow_and_update(), 3);
    assert_eq!(receiver.has_changed().ok(), Some(false));
    assert!(!sender.send_if_modified(|_| false));
    assert_eq!(receiver.has_changed().ok(), Some(false));
    sender.send_modify(|value| *value += 1);
    assert_eq!((*receiver.borrow(), receiver.has_changed().ok()), (4, Some(true)));
    receiver.mark_unchanged();
    assert_eq!(receiver.has_changed().ok(), Some(false));
    drop(sender);
    assert!(receiver.is_closed() && receiver.has_changed().is_err());
}

#[test]
fn room_is_reserved_for_all_or_none() {
    let (sender, mut receiver) = mpsc::channel(3);
    assert!(sender.try_reserve_many(4).is_err());
    let mut permits = sender.try_reserve_many(3).expect("there is as much room");
    assert_eq!((sender.capacity(), permits.len()), (0, 3));
    permits.next().expect("one of three").send(1);
    assert!(sender.try_reserve_many(1).is_err());
    drop(permits);
    assert_eq!((sender.capacity(), receiver.try_recv(), receiver.capacity()), (2, Ok(1), 3));
    assert!(assert_ready!(spawn(sender.reserve_many(4)).poll()).is_err());
    assert_eq!(assert_ready_ok!(spawn(sender.reserve_many(3)).poll()).len(), 3);
    drop(sender.try_reserve_many(0).expect("nothing fits"));
    assert_eq!(sender.capacity(), 3);
}

#[test]
fn values_go_with_the_receiver() {
    let value = Arc::new(());
    let (sender, receiver) = mpsc::channel(4);
    (0..3).for_each(|_| sender.try_send(Arc::clone(&value)).expect("there is room"));
    drop(receiver);
    assert_eq!((Arc::strong_count(&value), sender.capacity()), (1, 4));
    let (sender, receiver) = mpsc::unbounded_channel();
    (0..3).for_each(|_| sender.send(Arc::clone(&value)).expect("it is open"));
    drop(receiver);
    assert_eq!((Arc::strong_count(&value), sender.is_closed()), (1, true));
    let (sender, receiver) = broadcast::channel(4);
    (0..3).for_each(|_| assert_eq!(sender.send(Arc::clone(&value)).ok(), Some(1)));
    drop(receiver);
    assert_eq!((Arc::strong_count(&value), sender.len()), (1, 0));
    let (sender, receiver) = oneshot::channel();
    sender.send(Arc::clone(&value)).expect("it is open");
    drop(receiver);
    assert_eq!(Arc::strong_count(&value), 1);
}
