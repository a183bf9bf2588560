//! What an mpmc channel promises about its receivers: each value goes to one of them, and none
//! sleeps beside a value.
#![cfg(not(wsrt_loom))]

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use tokio_test::{assert_pending, assert_ready, assert_ready_eq, task::spawn};
use wsrt_sync::blocking::block_on;
use wsrt_sync::mpmc::error::{TryRecvError, TrySendError};
use wsrt_sync::mpmc::{Receiver, Sender, channel, unbounded_channel};

const THREADS: usize = 4;
const EACH: usize = if cfg!(miri) { 30 } else { 5_000 };

/// Sends from some threads and receives in others, and checks that each value came once.
fn exchange(sender: Sender<usize>, receiver: Receiver<usize>, receive: fn(&Receiver<usize>, &mut Vec<usize>) -> bool) {
    let seen: Vec<_> = (0..THREADS * EACH).map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|threads| {
        for at in 0..THREADS {
            let (sender, receiver, seen) = (sender.clone(), receiver.clone(), &seen);
            let values = at * EACH..(at + 1) * EACH;
            threads.spawn(move || values.for_each(|value| sender.blocking_send(value).unwrap()));
            threads.spawn(move || {
                let (mut values, mut last) = (Vec::new(), [None; THREADS]);
                while receive(&receiver, &mut values) {
                    for value in values.drain(..) {
                        seen[value].fetch_add(1, Relaxed);
                        // One receiver gets the values of one sender in their order.
                        assert!(last[value / EACH].replace(value) < Some(value));
                    }
                }
            });
        }
        drop((sender, receiver));
    });
    assert!(seen.iter().all(|times| times.load(Relaxed) == 1));
}

fn receive_one(receiver: &Receiver<usize>, values: &mut Vec<usize>) -> bool {
    values.extend(receiver.blocking_recv());
    !values.is_empty()
}

#[test]
fn each_value_goes_to_one_receiver() {
    for room in [1, 2, 64] {
        let (sender, receiver) = channel(room);
        exchange(sender, receiver, receive_one);
    }
    let (sender, receiver) = unbounded_channel();
    exchange(sender, receiver, receive_one);
}

#[test]
fn each_value_goes_to_one_receiver_of_several_at_once() {
    let (sender, receiver) = channel(8);
    exchange(sender, receiver, |receiver, values| receiver.blocking_recv_many(values, 5) > 0);
}

#[test]
fn each_value_wakes_one_receiver_in_order() {
    let (sender, receiver) = channel(4);
    let mut waiting = [(); 3].map(|()| spawn(receiver.recv()));
    waiting.iter_mut().for_each(|one| assert_pending!(one.poll()));
    sender.try_send(1).unwrap();
    sender.try_send(2).unwrap();
    assert_eq!(waiting.each_ref().map(|one| one.is_woken()), [true, true, false]);
    assert_ready_eq!(waiting[1].poll(), Some(1));
    assert_ready_eq!(waiting[0].poll(), Some(2));
    assert_pending!(waiting[2].poll());
}

#[test]
fn a_cancelled_receiver_passes_its_wake_on() {
    let (sender, receiver) = channel(4);
    let (mut first, mut second) = (spawn(receiver.recv()), spawn(receiver.recv()));
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    sender.try_send(7).unwrap();
    assert!(first.is_woken() && !second.is_woken());
    drop(first);
    assert!(second.is_woken());
    assert_ready_eq!(second.poll(), Some(7));
}

#[test]
fn a_woken_receiver_that_is_not_polled_keeps_no_value() {
    let (sender, receiver) = channel(4);
    let mut first = spawn(receiver.recv());
    assert_pending!(first.poll());
    sender.try_send(7).unwrap();
    assert!(first.is_woken());
    assert_eq!(receiver.try_recv(), Ok(7));
    assert_pending!(first.poll());
    sender.try_send(8).unwrap();
    assert!(first.is_woken());
    assert_ready_eq!(first.poll(), Some(8));
}

#[test]
fn a_receiver_in_vain_lets_the_others_come_first() {
    let (sender, receiver) = channel(4);
    let (mut first, mut second) = (spawn(receiver.recv()), spawn(receiver.recv()));
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    sender.try_send(7).unwrap();
    assert_eq!(receiver.try_recv(), Ok(7));
    assert_pending!(first.poll());
    sender.try_send(8).unwrap();
    assert!(second.is_woken());
    assert_ready_eq!(second.poll(), Some(8));
}

#[test]
fn a_dropped_stream_of_a_receiver_passes_its_wake_on() {
    let (sender, receiver) = channel(4);
    let mut polled = receiver.clone();
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    assert_pending!(polled.poll_recv(&mut cx));
    let mut second = spawn(receiver.recv());
    assert_pending!(second.poll());
    sender.try_send(7).unwrap();
    assert!(!second.is_woken());
    drop(polled);
    assert!(second.is_woken());
    assert_ready_eq!(second.poll(), Some(7));
}

#[test]
fn the_last_sender_ends_the_wait_of_all_receivers() {
    let (sender, receiver) = channel::<u8>(4);
    let other = sender.clone();
    // More than a batch of wakers.
    let mut waiting: Vec<_> = (0..100).map(|_| spawn(receiver.recv())).collect();
    waiting.iter_mut().for_each(|one| assert_pending!(one.poll()));
    drop(sender);
    assert!(waiting.iter().all(|one| !one.is_woken()));
    drop(other);
    for mut one in waiting {
        assert!(one.is_woken());
        assert_ready_eq!(one.poll(), None);
    }
}

/// A sender that was given room before the close may still send: the receivers wait for it.
#[test]
fn receivers_wait_for_a_sender_that_has_room() {
    for is_polled in [true, false] {
        let (sender, receiver) = channel(1);
        sender.try_send(1).unwrap();
        let mut sending = spawn(sender.send(2));
        assert_pending!(sending.poll());
        assert_eq!(receiver.try_recv(), Ok(1));
        assert!(sending.is_woken(), "it has room");
        receiver.close();
        let mut waiting = [(); 2].map(|()| spawn(receiver.recv()));
        waiting.iter_mut().for_each(|one| assert_pending!(one.poll()));
        if is_polled {
            // The close refuses what has not been sent.
            assert!(assert_ready!(sending.poll()).is_err());
        }
        drop(sending);
        for mut one in waiting {
            assert!(one.is_woken());
            assert_ready_eq!(one.poll(), None);
        }
    }
}

#[test]
fn the_last_receiver_closes_and_drops_the_rest() {
    let value = std::sync::Arc::new(());
    let (sender, receiver) = channel(4);
    let other = receiver.clone();
    sender.try_send(std::sync::Arc::clone(&value)).unwrap();
    drop(receiver);
    assert!(!sender.is_closed());
    drop(other);
    assert!(sender.is_closed());
    assert_eq!(std::sync::Arc::strong_count(&value), 1);
    assert!(matches!(sender.try_send(value), Err(TrySendError::Closed(_))));
}

#[test]
fn waiting_senders_are_served_in_order() {
    let (sender, receiver) = channel(1);
    sender.try_send(0).unwrap();
    let mut waiting = [1, 2].map(|value| spawn(sender.send(value)));
    waiting.iter_mut().for_each(|one| assert_pending!(one.poll()));
    assert_eq!(receiver.try_recv(), Ok(0));
    assert_eq!(waiting.each_ref().map(|one| one.is_woken()), [true, false]);
    assert_eq!(sender.try_send(9), Err(TrySendError::Full(9)), "the room is promised");
    let [mut first, mut second] = waiting;
    assert!(assert_ready!(first.poll()).is_ok());
    assert_eq!(receiver.try_recv(), Ok(1));
    assert!(assert_ready!(second.poll()).is_ok());
    assert_eq!(receiver.try_recv(), Ok(2));
}

#[test]
fn a_cancelled_send_has_sent_nothing() {
    let (sender, receiver) = channel(1);
    sender.try_send(0).unwrap();
    let mut sending = spawn(sender.send(1));
    assert_pending!(sending.poll());
    assert_eq!(receiver.try_recv(), Ok(0));
    drop(sending);
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(sender.capacity(), 1);
}

#[test]
fn counts_follow_clones_and_drops() {
    let (sender, receiver) = channel::<u8>(3);
    let weak = sender.downgrade();
    let others = (sender.clone(), receiver.clone());
    assert_eq!((receiver.sender_count(), receiver.receiver_count()), (2, 2));
    assert!(others.0.same_channel(&sender) && others.1.same_channel(&receiver));
    drop((others, sender));
    assert_eq!((receiver.sender_count(), receiver.receiver_count()), (0, 1));
    assert!(weak.upgrade().is_none());
    assert_eq!(block_on(receiver.recv()), None);
}
