//! Models of a watch channel's version, and of the receivers that leave.

use super::{explore, explore_with};
use crate::watch;
use loom::future::block_on;
use loom::thread;

#[test]
fn a_watcher_sees_the_last_value() {
    explore_with(2, || {
        let (sender, mut receiver) = watch::channel(0);
        let sending = thread::spawn(move || {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
        });
        while block_on(receiver.changed()).is_ok() {}
        assert_eq!(*receiver.borrow(), 2);
        sending.join().unwrap();
    });
}

#[test]
fn a_sender_learns_that_the_last_watcher_left() {
    explore(|| {
        let (sender, receiver) = watch::channel(0);
        let leaving = thread::spawn(move || drop(receiver));
        block_on(sender.closed());
        leaving.join().unwrap();
    });
}

#[test]
fn a_watcher_sees_the_end() {
    explore(|| {
        let (sender, mut receiver) = watch::channel(0);
        let other = sender.clone();
        let leaving = thread::spawn(move || drop(other));
        drop(sender);
        assert!(block_on(receiver.changed()).is_err());
        leaving.join().unwrap();
    });
}

#[test]
fn a_value_that_was_waited_for_is_found() {
    explore_with(2, || {
        let (sender, mut receiver) = watch::channel(0);
        let sending = thread::spawn(move || sender.send(1).unwrap());
        assert_eq!(*block_on(receiver.wait_for(|value| *value == 1)).unwrap(), 1);
        sending.join().unwrap();
    });
}
