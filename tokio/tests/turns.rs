//! Loops of ready operations give up their turns, and every branch gets its own.
#![cfg(all(feature = "io-util", feature = "macros"))]

use std::future::{Future, pending, ready};
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

#[test]
fn a_loop_around_select_gives_up_its_turn() {
    let spending = async {
        loop {
            tokio::select! { () = budget::consume() => {}, () = pending() => {} }
        }
    };
    assert!(
        poll_as_task(async {
            tokio::select! { () = spending => {} }
        })
        .is_pending()
    );
}

#[test]
fn each_branch_of_a_select_wins_some_time() {
    let mut wins = [0; 3];
    for _ in 0..1000 {
        let choice = async {
            tokio::select! { n = ready(0) => n, n = ready(1) => n, n = ready(2) => n }
        };
        let Poll::Ready(winner) = poll_as_task(choice) else { panic!("all are ready") };
        wins[winner as usize] += 1;
    }
    assert!(wins.iter().all(|&count| count > 0), "{wins:?}");
}

#[test]
fn a_biased_select_takes_the_first_branch() {
    for _ in 0..100 {
        let choice = async {
            tokio::select! { biased; n = ready(0) => n, n = ready(1) => n }
        };
        assert_eq!(poll_as_task(choice), Poll::Ready(0));
    }
}
