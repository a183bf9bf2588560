//! The smallest runtime that drives `wsrt-reactor`: one thread that turns the netpoller, futures run by threads that
//! park.
//!
//! For this crate's tests and examples only. Each future that is to run at the same time as another has its own thread:
//! `std::thread::scope` and [`Runtime::block_on`] do what tasks do elsewhere.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use wsrt_reactor::context::{self, Offload};
use wsrt_reactor::{Netpoller, Turn};

/// Runs `future` to its end on a runtime of its own.
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
    /// When the system refuses a netpoller or a thread.
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
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.block_on_with(Arc::new(ThreadPerJob), future)
    }

    /// As `block_on`, with blocking jobs handed to `offload`.
    pub fn block_on_with<F: Future>(&self, offload: Arc<dyn Offload>, future: F) -> F::Output {
        let context = context::Context::new(self.netpoller().handle().clone(), offload);
        let _entered = context::enter(Some(context));
        block_on(future)
    }

    /// Shuts the netpoller down and wakes everybody who waits.
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
            // A test has taken the seat for itself.
            thread::yield_now();
        }
        wakers.drain(..).for_each(Waker::wake);
    }
}

/// Runs `future` to its end on the calling thread, in whatever context that has.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
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

/// Runs each blocking job on a thread of its own.
#[derive(Debug)]
pub struct ThreadPerJob;

impl Offload for ThreadPerJob {
    fn offload(&self, job: Box<dyn FnOnce() + Send>) {
        thread::spawn(job);
    }
}
