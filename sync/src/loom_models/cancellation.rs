//! Models of a tree of tokens that is cancelled while it changes.

use super::{explore, explore_with};
use crate::CancellationToken;
use loom::future::block_on;
use loom::thread;

#[test]
fn a_child_made_meanwhile_is_cancelled() {
    explore(|| {
        let parent = CancellationToken::new();
        let cancelling = parent.clone();
        let canceller = thread::spawn(move || cancelling.cancel());
        let child = parent.child_token();
        block_on(child.cancelled());
        assert!(parent.is_cancelled(), "only the parent was cancelled");
        canceller.join().unwrap();
    });
}

#[test]
fn two_that_cancel_wake_a_grandchild() {
    explore_with(2, || {
        let parent = CancellationToken::new();
        let child = parent.child_token();
        let grandchild = child.child_token();
        let cancellers = [parent, child].map(|token| thread::spawn(move || token.cancel()));
        block_on(grandchild.cancelled());
        for canceller in cancellers {
            canceller.join().unwrap();
        }
    });
}

#[test]
fn a_child_that_is_dropped_meanwhile_is_no_trouble() {
    explore(|| {
        let parent = CancellationToken::new();
        let child = parent.child_token();
        let grandchild = child.child_token();
        let dropper = thread::spawn(move || drop((child, grandchild)));
        parent.cancel();
        dropper.join().unwrap();
        assert!(parent.child_token().is_cancelled());
    });
}
