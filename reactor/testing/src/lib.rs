//! The smallest runtime that drives `wsrt-reactor`: one thread that turns the netpoller, futures
//! run by threads that park.
//!
//! For this crate's tests and examples only. Each future that is to run at the same time as another
//! has its own thread: `std::thread::scope` and [`Runtime::block_on`] replace tasks here.

mod directory;

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};
use wsrt_reactor::context::{self, Delay, Services};
use wsrt_reactor::{Netpoller, Turn};

pub use self::directory::Directory;

/// Runs `future` to its end on its own runtime.
///
/// # Panics
///
/// Panics if it takes longer than [`LIMIT`].
#[track_caller]
pub fn run<F: Future>(future: F) -> F::Output {
    Runtime::new().expect("a netpoller").block_on(future)
}

/// A netpoller and the thread that turns it.
#[derive(Debug)]
pub struct Runtime {
    shared: Arc<Shared>,
    driver: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    netpoller: Netpoller,
    ending: AtomicBool,
}

impl Runtime {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the system refuses a netpoller or a thread.
    pub fn new() -> io::Result<Runtime> {
        let shared = Arc::new(Shared { netpoller: Netpoller::new()?, ending: AtomicBool::new(false) });
        let driven = Arc::clone(&shared);
        let driver = thread::Builder::new().name("reactor-driver".into()).spawn(move || drive(&driven))?;
        Ok(Runtime { shared, driver: Some(driver) })
    }

    /// The netpoller, which the driver thread is blocked in most of the time.
    #[must_use]
    pub fn netpoller(&self) -> &Netpoller {
        &self.shared.netpoller
    }

    /// Runs `future` to its end on the calling thread, inside the runtime's context.
    ///
    /// # Panics
    ///
    /// Panics if it takes longer than [`LIMIT`].
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.block_on_with(Arc::new(ThreadPerJob), future)
    }

    /// Runs `future` like `block_on`, with services of the caller's own.
    #[track_caller]
    pub fn block_on_with<F: Future>(&self, services: Arc<dyn Services>, future: F) -> F::Output {
        let context = context::ReactorContext::new(self.netpoller().handle().clone(), services);
        let _entered = context::enter(Some(context));
        block_on(future)
    }

    /// Shuts the netpoller down and wakes all waiting tasks.
    pub fn shut_down(&self) {
        let mut wakers = Vec::new();
        self.netpoller().shut_down(&mut wakers);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Release);
        self.netpoller().interrupt();
        if let Some(Err(payload)) = self.driver.take().map(JoinHandle::join) {
            std::panic::resume_unwind(payload);
        }
    }
}

fn drive(shared: &Shared) {
    let mut wakers = Vec::new();
    while !shared.ending.load(Ordering::Acquire) {
        let turn = shared.netpoller.turn(None, &mut wakers).expect("the poll works");
        if turn == Turn::Busy || turn == Turn::Kept {
            // A test has taken the poll lock for itself.
            thread::yield_now();
        }
        wakers.drain(..).for_each(Waker::wake);
    }
}

/// The time that a future may take, on however busy a machine: one that waits for longer has lost
/// an event.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Runs `future` to its end on the calling thread, in whatever context that has.
///
/// # Panics
///
/// Panics if it takes longer than [`LIMIT`], so that a lost event fails a test instead of hanging
/// it.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    block_on_within(LIMIT, future)
}

#[track_caller]
fn block_on_within<F: Future>(limit: Duration, future: F) -> F::Output {
    let deadline = Instant::now() + limit;
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => {
                let left = deadline.saturating_duration_since(Instant::now());
                assert!(!left.is_zero(), "the future has waited for {limit:?}: no event has woken it");
                thread::park_timeout(left);
            }
        }
    }
}

#[derive(Debug)]
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Gives each blocking job, and each delay, its own thread.
#[derive(Debug)]
pub struct ThreadPerJob;

impl Services for ThreadPerJob {
    fn offload(&self, job: Box<dyn FnOnce() + Send>) {
        thread::spawn(job);
    }

    fn delay(&self, duration: Duration) -> Delay {
        let (alarm, delay) = alarm();
        thread::spawn(move || {
            thread::sleep(duration);
            alarm.ring();
        });
        delay
    }
}

/// Makes a delay that ends when its alarm rings.
#[must_use]
pub fn alarm() -> (Alarm, Delay) {
    let state = Arc::new(Mutex::new(AlarmState::default()));
    let delay = poll_fn({
        let state = Arc::clone(&state);
        move |cx| {
            let mut state = state.lock().expect("nobody panics with the lock held");
            if state.rung {
                return Poll::Ready(());
            }
            state.waker = Some(cx.waker().clone());
            Poll::Pending
        }
    });
    (Alarm(state), Box::pin(delay))
}

/// Ends a delay.
#[derive(Debug)]
pub struct Alarm(Arc<Mutex<AlarmState>>);

#[derive(Debug, Default)]
struct AlarmState {
    rung: bool,
    waker: Option<Waker>,
}

impl Alarm {
    /// Ends it.
    ///
    /// # Panics
    ///
    /// Panics when another thread has panicked in the middle of it.
    pub fn ring(&self) {
        let mut state = self.0.lock().expect("nobody panics with the lock held");
        state.rung = true;
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Returns whether the future that was to wait for it was dropped.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "no event has woken it")]
    fn a_lost_event_fails_and_does_not_hang() {
        block_on_within(Duration::from_millis(1), std::future::pending::<()>());
    }
}
