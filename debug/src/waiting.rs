//! Waits for a future on a thread that has no runtime and needs none.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

struct Unparker(Thread);

impl Wake for Unparker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits until `future` is ready. Returns the error `TimedOut` if it is not within `limit`.
pub(crate) fn wait<T>(future: impl Future<Output = io::Result<T>>, limit: Duration) -> io::Result<T> {
    let (mut future, deadline) = (pin!(future), Instant::now() + limit);
    let waker = Waker::from(Arc::new(Unparker(thread::current())));
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::park_timeout(left);
    }
}
