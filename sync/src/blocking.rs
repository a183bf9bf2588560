//! Blocking a thread on a future, which all functions named `blocking_...` are built on.

use crate::budget;
use crate::drop_in;
use crate::runtime_hooks::block_in_task;
use crate::sync::thread::{self, Thread};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// A waker that unparks a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks the calling thread until `future` completes, and returns its output.
///
/// Inside a task, the runtime runs its other tasks in the meantime, provided that it has called
/// [`set_block_in_task`](crate::runtime_hooks::set_block_in_task).
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    drop_in::refuse_to_block();
    let mut future = pin!(future);
    // The thread waits here and nowhere else: no budget is to end its turn.
    let _outer = budget::keep();
    budget::lift();
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return output;
    }
    let mut output = None;
    let waiting = pin!(async { output = Some(future.as_mut().await) });
    wait(waiting);
    output.expect("the wait has ended")
}

fn wait(mut future: Pin<&mut dyn Future<Output = ()>>) {
    if block_in_task(future.as_mut()) {
        return;
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    while future.as_mut().poll(&mut cx).is_pending() {
        thread::park();
    }
}
