//! Loops of ready operations give up their turns.
#![cfg(all(feature = "io-util", feature = "macros"))]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tokio::io::{self, AsyncReadExt, AsyncWriteExt};
use wsrt_sync::budget;

/// Polls once, as an executor would a task.
fn poll_as_task<F: Future>(future: F) -> Poll<F::Output> {
    let _outer = budget::keep();
    budget::refill();
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn an_endless_copy_gives_up_its_turn() {
    assert!(poll_as_task(io::copy(&mut io::repeat(1), &mut io::sink())).is_pending());
}

#[test]
fn an_endless_loop_over_a_pipe_gives_up_its_turn() {
    let (mut near, mut far) = io::duplex(8);
    let exchange = async {
        loop {
            near.write_all(b"12345678").await.unwrap();
            far.read_exact(&mut [0; 8]).await.unwrap();
        }
    };
    assert!(
        poll_as_task(async {
            tokio::select! { () = exchange => {} }
        })
        .is_pending()
    );
}
