//! `together`: polls two futures concurrently in one task.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// Waits for both futures and returns both outputs.
pub(super) async fn together<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut of_a, mut of_b) = (None, None);
    poll_fn(|cx| {
        poll_unless(&mut of_a, a.as_mut(), cx);
        poll_unless(&mut of_b, b.as_mut(), cx);
        if of_a.is_none() || of_b.is_none() {
            return Poll::Pending;
        }
        Poll::Ready(of_a.take().zip(of_b.take()).expect("both are there"))
    })
    .await
}

/// Polls `future` unless it has already returned its output.
fn poll_unless<F: Future>(output: &mut Option<F::Output>, future: Pin<&mut F>, cx: &mut Context<'_>) {
    if output.is_some() {
        return;
    }
    if let Poll::Ready(ready) = future.poll(cx) {
        *output = Some(ready);
    }
}
