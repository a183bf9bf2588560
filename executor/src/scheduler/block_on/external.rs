//! A thread that waits for a future beside the machines of a runtime: it polls, and sleeps in
//! between.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::sync::{Arc, OnceLock};
use std::task::{self, Poll, RawWakerVTable, Wake, Waker};

use wsrt_reactor::budget;

use crate::scheduler::Context;
use crate::scheduler::core::parker::Parker;
use crate::util::spin_time::SpinTime;
use crate::util::sync::atomic::{Ordering::Acquire, fence};

thread_local! {
    /// This thread's sleeper, unless it is in use: to make one takes longer than many a wait.
    static KEPT: Cell<Option<OwnSleeper>> = const { Cell::new(None) };
}

/// The table of all wakers of sleepers, once there is one.
static WAKER_TABLE: OnceLock<&RawWakerVTable> = OnceLock::new();

/// Returns whether `waker` wakes a thread that waits in `block_on`.
pub(in crate::scheduler) fn is_sleepers(waker: &Waker) -> bool {
    WAKER_TABLE.get().is_some_and(|table| ptr::eq(*table, waker.vtable()))
}

/// The references to a sleeper that its thread has: its own, and its waker's.
const OWN_REFERENCES: usize = 2;

/// The sleeper of a thread, and the waker that ends its sleep.
struct OwnSleeper {
    sleeper: Arc<Sleeper>,
    /// A waker of `sleeper`.
    waker: Waker,
    spin_time: SpinTime,
}

impl OwnSleeper {
    /// Returns the one that this thread has kept, or a new one.
    fn take() -> Self {
        let kept = KEPT.try_with(Cell::take).ok().flatten();
        match kept {
            Some(kept) if kept.is_free() => kept,
            Some(kept) => Self { spin_time: kept.spin_time, ..Self::new() },
            None => Self::new(),
        }
    }

    fn new() -> Self {
        let sleeper = Arc::new(Sleeper(Parker::new()));
        sleeper.0.adopt_current_thread();
        let waker = Waker::from(Arc::clone(&sleeper));
        let _ = WAKER_TABLE.set(waker.vtable());
        Self { sleeper, waker, spin_time: SpinTime::default() }
    }

    /// Returns whether no waker of an earlier wait is left.
    fn is_free(&self) -> bool {
        let is_free = Arc::strong_count(&self.sleeper) == OWN_REFERENCES;
        // Pairs with the Release of the thread that dropped the last of them.
        fence(Acquire);
        is_free
    }

    /// Sleeps until the sleeper is woken, or spins until then if that is likely to be soon.
    fn wait(&mut self) {
        let parker = &self.sleeper.0;
        let _ = self.spin_time.spin(|| parker.is_notified());
        parker.park();
    }

    /// Keeps it for this thread's next wait, unless the thread is ending.
    fn keep(self) {
        let _ = KEPT.try_with(|kept| kept.set(Some(self)));
    }
}

/// Polls `future` until it is ready, asleep in between.
pub(in crate::scheduler) fn wait_on_thread<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    let mut own = OwnSleeper::take();
    let _outer_budget = budget::keep();
    loop {
        budget::refill();
        let mut context = task::Context::from_waker(&own.waker);
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            own.keep();
            return output;
        }
        own.wait();
    }
}

struct Sleeper(Parker);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // A sleeper is never in the netpoller: there is nothing to interrupt.
        let _ = self.0.unpark();
        Context::with(|here| here.map(Context::note_woken_sleeper));
    }
}
