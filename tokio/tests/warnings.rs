//! The drop-in warns of nothing unused that tokio allows: hyper's tests deny warnings.
#![cfg(feature = "sync")]
#![deny(unused_must_use)]

use tokio::sync::oneshot;

/// Asks as hyper's client does, whose caller gets the receiver of the answer.
fn ask() -> oneshot::Receiver<u8> {
    let (answer, asked) = oneshot::channel();
    assert_eq!(answer.send(1), Ok(()));
    asked
}

#[test]
fn an_answer_that_nobody_wants_is_no_warning() {
    ask();
}
