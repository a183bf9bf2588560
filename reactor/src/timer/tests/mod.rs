//! The promises of timers, on one thread.

mod bounds;
mod firing;
mod order;
mod shutdown;

use super::{TimerEntry, TimerQueue};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn counting() -> (Arc<Count>, Waker) {
    let count = Arc::new(Count::default());
    (Arc::clone(&count), Waker::from(count))
}

fn poll(entry: &TimerEntry, waker: &Waker) -> Poll<()> {
    entry.poll_fired(&mut Context::from_waker(waker))
}

fn fire(queue: &TimerQueue, now: u64) -> usize {
    let mut wakers = Vec::new();
    let fired = queue.fire_due(now, &mut wakers);
    wakers.into_iter().for_each(Waker::wake);
    fired
}
