//! Models of a oneshot channel's word.

use super::explore;
use crate::oneshot;
use loom::future::block_on;
use loom::thread;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[test]
fn a_oneshot_value_arrives_or_comes_back() {
    explore(|| {
        let (sender, mut receiver) = oneshot::channel();
        let sending = thread::spawn(move || sender.send(Box::new(7)));
        receiver.close();
        let received = block_on(receiver).ok();
        let returned = sending.join().unwrap().err();
        assert_eq!(received.or(returned), Some(Box::new(7)));
    });
}

#[test]
fn a_oneshot_receiver_that_waits_is_woken() {
    explore(|| {
        let (sender, receiver) = oneshot::channel();
        let sending = thread::spawn(move || sender.send(7));
        assert_eq!(block_on(receiver), Ok(7));
        sending.join().unwrap().unwrap();
    });
}

#[test]
fn a_oneshot_receiver_may_change_its_waker() {
    explore(|| {
        let (sender, mut receiver) = oneshot::channel();
        let sending = thread::spawn(move || sender.send(7));
        let first = pin!(&mut receiver).poll(&mut Context::from_waker(Waker::noop()));
        let value = match first {
            Poll::Ready(value) => value,
            Poll::Pending => block_on(receiver),
        };
        assert_eq!(value, Ok(7));
        sending.join().unwrap().unwrap();
    });
}

#[test]
fn a_oneshot_sender_learns_that_the_receiver_left() {
    explore(|| {
        let (mut sender, receiver) = oneshot::channel::<()>();
        let leaving = thread::spawn(move || drop(receiver));
        block_on(sender.closed());
        leaving.join().unwrap();
    });
}
