//! Waiting with a thread: what the functions named `blocking_...` have in common.

use crate::budget;
use crate::lend::block_in_place;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Wakes a parked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks the calling thread until `future` is ready.
///
/// On a thread that a runtime owns, the runtime hands its processor over for that long: see
/// [`set_block_in_place`](crate::lend::set_block_in_place).
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    // The thread waits here and nowhere else: no budget is to end its turn.
    let _outer = budget::keep();
    budget::lift();
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return output;
    }
    let mut output = None;
    let mut wait = || {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut cx = Context::from_waker(&waker);
        output = loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
                break Some(output);
            }
            thread::park();
        };
    };
    block_in_place(&mut wait);
    output.expect("the wait has ended")
}
