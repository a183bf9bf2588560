//! Models of an mpmc channel's line of receivers.

use super::{explore_with, poll_and_drop};
use crate::mpmc;
use loom::future::block_on;
use loom::thread;

#[test]
fn two_receivers_get_each_value_once_and_the_end() {
    explore_with(2, || {
        let (sender, receiver) = mpmc::channel(1);
        let other = receiver.clone();
        let receiving = thread::spawn(move || std::iter::from_fn(|| block_on(other.recv())).sum::<u32>());
        let sending = thread::spawn(move || (1..=2).for_each(|value| block_on(sender.send(value)).unwrap()));
        let mut sum = 0;
        while let Some(value) = block_on(receiver.recv()) {
            sum += value;
        }
        assert_eq!(sum + receiving.join().unwrap(), 3);
        sending.join().unwrap();
    });
}

#[test]
fn a_cancelled_receiver_leaves_its_value_to_another() {
    explore_with(2, || {
        let (sender, receiver) = mpmc::channel(1);
        let fickle = receiver.clone();
        let sending = thread::spawn(move || sender.try_send(7).unwrap());
        let giving_up = thread::spawn(move || {
            let mut received = None;
            poll_and_drop(async { received = fickle.recv().await });
            received
        });
        let received = block_on(receiver.recv());
        let of_fickle = giving_up.join().unwrap();
        assert!(matches!((received, of_fickle), (Some(7), None) | (None, Some(7))));
        sending.join().unwrap();
    });
}

#[test]
fn the_last_receiver_that_leaves_returns_or_drops_each_value() {
    explore_with(2, || {
        let value = std::sync::Arc::new(());
        let (sender, receiver) = mpmc::channel(1);
        let other = receiver.clone();
        let sent = std::sync::Arc::clone(&value);
        let sending = thread::spawn(move || drop(block_on(sender.send(sent))));
        let leaving = thread::spawn(move || drop(other));
        drop(receiver);
        leaving.join().unwrap();
        sending.join().unwrap();
        assert_eq!(std::sync::Arc::strong_count(&value), 1);
    });
}

#[test]
fn a_close_ends_the_wait_of_each_receiver() {
    explore_with(2, || {
        let (sender, receiver) = mpmc::channel::<u8>(1);
        let other = receiver.clone();
        let receiving = thread::spawn(move || assert_eq!(block_on(other.recv()), None));
        let closing = thread::spawn(move || sender.close());
        assert_eq!(block_on(receiver.recv()), None);
        receiving.join().unwrap();
        closing.join().unwrap();
    });
}
