//! Models of a broadcast channel's slots and tail.

use super::{explore, explore_with};
use crate::broadcast;
use loom::future::block_on;
use loom::thread;

#[test]
fn a_broadcast_reaches_one_that_waits() {
    explore(|| {
        let (sender, mut receiver) = broadcast::channel(2);
        let sending = thread::spawn(move || sender.send(7).unwrap());
        assert_eq!(block_on(receiver.recv()), Ok(7));
        sending.join().unwrap();
        assert_eq!(block_on(receiver.recv()), Err(broadcast::error::RecvError::Closed));
    });
}

#[test]
fn each_of_two_receivers_gets_the_value() {
    explore_with(2, || {
        let value = std::sync::Arc::new(());
        let (sender, mut receiver) = broadcast::channel(1);
        let mut other = sender.subscribe();
        let receiving = thread::spawn(move || block_on(other.recv()).is_ok());
        sender.send(std::sync::Arc::clone(&value)).unwrap();
        assert!(block_on(receiver.recv()).is_ok());
        assert!(receiving.join().unwrap());
        assert_eq!(std::sync::Arc::strong_count(&value), 1, "the last receiver has dropped it");
    });
}

#[test]
fn a_receiver_that_leaves_keeps_no_value() {
    explore_with(2, || {
        let value = std::sync::Arc::new(());
        let (sender, receiver) = broadcast::channel(1);
        let leaving = thread::spawn(move || drop(receiver));
        let _ = sender.send(std::sync::Arc::clone(&value));
        block_on(sender.closed());
        assert_eq!(std::sync::Arc::strong_count(&value), 1);
        leaving.join().unwrap();
    });
}

#[test]
fn a_receiver_beside_a_faster_sender_learns_of_the_loss() {
    explore_with(2, || {
        let (sender, mut receiver) = broadcast::channel(1);
        let sending = thread::spawn(move || {
            for value in 0..2 {
                sender.send(value).unwrap();
            }
        });
        let mut seen = Vec::new();
        loop {
            match block_on(receiver.recv()) {
                Ok(value) => seen.push(value),
                Err(broadcast::error::RecvError::Lagged(count)) => seen.extend(0..count),
                Err(broadcast::error::RecvError::Closed) => break,
            }
        }
        sending.join().unwrap();
        assert_eq!(seen, [0, 1]);
    });
}
