//! Two futures and no runtime: the cost of the channels between two tasks when nothing is
//! scheduled.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Polls `first` and `second` by turns on this thread until both are done, with a waker that does
/// nothing. For futures that wait for nothing but each other.
pub(super) fn by_turns<A: Future, B: Future>(first: A, second: B) -> (A::Output, B::Output) {
    let mut first = pin!(first);
    let mut second = pin!(second);
    let mut context = Context::from_waker(Waker::noop());
    let (mut first_output, mut second_output) = (None, None);
    loop {
        poll_unless_done(&mut first_output, || first.as_mut().poll(&mut context));
        poll_unless_done(&mut second_output, || second.as_mut().poll(&mut context));
        match (first_output, second_output) {
            (Some(first), Some(second)) => return (first, second),
            unfinished => (first_output, second_output) = unfinished,
        }
    }
}

fn poll_unless_done<T>(output: &mut Option<T>, poll: impl FnOnce() -> Poll<T>) {
    if output.is_none() {
        if let Poll::Ready(value) = poll() {
            *output = Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_lite::future::{ready, yield_now};

    use super::*;

    #[test]
    fn both_futures_are_polled_to_their_end_and_no_further() {
        let slow = async {
            for _ in 0..5 {
                yield_now().await;
            }
            "slow"
        };
        assert_eq!(by_turns(ready("fast"), slow), ("fast", "slow"));
    }
}
