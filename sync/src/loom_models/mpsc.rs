//! Models of an mpsc channel's queue and of its closing.

use super::{explore, explore_with};
use crate::mpsc;
use crate::mpsc::error::TryRecvError;
use loom::future::block_on;
use loom::thread;

#[test]
fn values_of_two_senders_arrive_each_once() {
    explore_with(2, || {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let other = sender.clone();
        let sending = thread::spawn(move || other.send(10).unwrap());
        sender.send(0).unwrap();
        // The first of a new block, which one of the two has put there.
        sender.send(1).unwrap();
        drop(sender);
        let mut received = Vec::new();
        while let Some(value) = block_on(receiver.recv()) {
            received.push(value);
        }
        sending.join().unwrap();
        assert!(matches!(received[..], [10, 0, 1] | [0, 10, 1] | [0, 1, 10]), "{received:?}");
    });
}

#[test]
fn a_full_channel_lets_its_senders_in_again() {
    explore_with(1, || {
        let (sender, mut receiver) = mpsc::channel(1);
        let sending = thread::spawn(move || {
            for value in 0..2 {
                block_on(sender.send(value)).unwrap();
            }
        });
        for value in 0..2 {
            assert_eq!(block_on(receiver.recv()), Some(value));
        }
        assert_eq!(block_on(receiver.recv()), None);
        sending.join().unwrap();
    });
}

#[test]
fn a_receiver_that_leaves_drops_or_returns_each_value() {
    explore(|| {
        let value = std::sync::Arc::new(());
        let (sender, receiver) = mpsc::unbounded_channel();
        let sent = std::sync::Arc::clone(&value);
        let sending = thread::spawn(move || drop(sender.send(sent)));
        drop(receiver);
        sending.join().unwrap();
        assert_eq!(std::sync::Arc::strong_count(&value), 1);
    });
}

#[test]
fn a_closed_channel_gives_what_a_permit_sends() {
    explore(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        let sending = thread::spawn(move || match sender.try_reserve() {
            Ok(permit) => {
                permit.send(7);
                true
            }
            Err(_) => false,
        });
        receiver.close();
        let received = block_on(receiver.recv());
        assert_eq!(sending.join().unwrap(), received.is_some());
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    });
}

#[test]
fn an_emptied_block_is_used_again() {
    explore_with(2, || {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        (0..3).for_each(|value| sender.send(value).unwrap());
        // The first block is empty, and kept.
        assert_eq!((receiver.try_recv(), receiver.try_recv()), (Ok(0), Ok(1)));
        let sending = thread::spawn(move || (3..5).for_each(|value| sender.send(value).unwrap()));
        for value in 2..5 {
            assert_eq!(block_on(receiver.recv()), Some(value));
        }
        sending.join().unwrap();
    });
}

#[test]
fn a_weak_sender_sends_or_finds_the_end() {
    explore_with(2, || {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let weak = sender.downgrade();
        let sending = thread::spawn(move || weak.upgrade().is_some_and(|sender| sender.send(7).is_ok()));
        drop(sender);
        let received = block_on(receiver.recv());
        assert_eq!(received.is_some(), sending.join().unwrap());
    });
}

#[test]
fn a_sender_learns_that_the_receiver_left() {
    explore(|| {
        let (sender, receiver) = mpsc::channel::<()>(1);
        let leaving = thread::spawn(move || drop(receiver));
        block_on(sender.closed());
        leaving.join().unwrap();
    });
}

#[test]
fn a_receiver_sees_the_end_after_an_unused_reservation() {
    explore_with(2, || {
        let (sender, mut receiver) = mpsc::channel::<()>(1);
        let reserved = sender.clone().try_reserve_owned().unwrap();
        let releasing = thread::spawn(move || drop(reserved));
        receiver.close();
        assert_eq!(block_on(receiver.recv()), None);
        releasing.join().unwrap();
        drop(sender);
    });
}
