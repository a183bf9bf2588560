//! `select!` is fair, gives up its turn, and takes any pattern.
#![cfg(not(wsrt_loom))]

use std::future::{Future, pending, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use wsrt_sync::{budget, select};

/// Polls once, as an executor would a task.
fn poll_as_task<F: Future>(future: F) -> Poll<F::Output> {
    let _outer = budget::keep();
    budget::refill();
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a_loop_around_select_gives_up_its_turn() {
    let spending = async {
        loop {
            select! { () = budget::consume() => {}, () = pending() => {} }
        }
    };
    assert!(
        poll_as_task(async {
            select! { () = spending => {} }
        })
        .is_pending()
    );
}

#[test]
fn each_branch_of_a_select_wins_some_time() {
    let mut wins = [0; 3];
    for _ in 0..1000 {
        let choice = async {
            select! { n = ready(0) => n, n = ready(1) => n, n = ready(2) => n }
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
            select! { biased; n = ready(0) => n, n = ready(1) => n }
        };
        assert_eq!(poll_as_task(choice), Poll::Ready(0));
    }
}

#[test]
fn a_pattern_may_move_borrow_and_change() {
    let choice = async {
        select! {
            Some((mut text, ref number)) = ready(Some((String::from("a"), 4))) => {
                text.push_str(&number.to_string());
                text
            }
        }
    };
    assert_eq!(poll_as_task(choice), Poll::Ready(String::from("a4")));
}

#[test]
fn an_output_that_fits_no_pattern_disables_its_branch() {
    let choice = async {
        select! {
            Some(n) = ready(None::<u32>) => n,
            n = ready(2) => n,
        }
    };
    assert_eq!(poll_as_task(choice), Poll::Ready(2));
    let none = async {
        select! { Some(n) = ready(None::<u32>) => n, else => 3 }
    };
    assert_eq!(poll_as_task(none), Poll::Ready(3));
}

#[test]
fn the_branches_of_a_join_begin_in_turn() {
    let mut turns = wsrt_sync::macros::support::Turns::default();
    assert_eq!([(); 7].map(|()| turns.next(3)), [0, 1, 2, 0, 1, 2, 0]);
}
