//! Feature `tokio-compat`: a tokio runtime in the background, for crates that insist on one.
//!
//! Each wsrt runtime has its own. Every thread of wsrt enters it once, for as long as the thread
//! lives, so that `tokio::spawn`, tokio's sockets and its timers find it. In return the tokio
//! runtime's threads enter wsrt, so that tokio's tasks may spawn and sleep on wsrt.
//!
//! It is shut down last: futures that are dropped while wsrt shuts down may still spawn on it.
//!
//! Or the user lends one: its threads, and its end, are the user's.

use std::any::Any;
use std::cell::RefCell;
use std::sync::OnceLock;
use std::time::Instant;
use std::{fmt, io, thread};

use crate::util::sync::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

thread_local! {
    /// The guard by which a thread of the tokio runtime has entered wsrt.
    static ENTERED: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// The builder's choice of a tokio runtime.
#[derive(Clone)]
pub(crate) enum Choice {
    /// A separate runtime, with so many threads.
    Own(usize),
    /// The user's, which is neither started nor ended here.
    Lent(Handle),
}

impl Default for Choice {
    fn default() -> Self {
        Self::Own(2)
    }
}

/// The tokio runtime of one wsrt runtime.
pub(crate) struct TokioCompat(OnceLock<BackgroundRuntime>);

struct BackgroundRuntime {
    handle: Handle,
    /// Taken by the thread that shuts the runtime down. `None` from the start if it is lent.
    runtime: Mutex<Option<Runtime>>,
}

/// The guard of a thread that has entered the tokio runtime. Not `Send`.
pub(crate) type TokioEntered<'a> = Option<tokio::runtime::EnterGuard<'a>>;

impl TokioCompat {
    pub(crate) fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Starts the tokio runtime, or takes the one that is lent, before any thread of wsrt. Each
    /// thread of one that is started calls `enter`, and keeps the guard that this returns until it
    /// ends.
    pub(crate) fn start<G: 'static>(
        &self,
        choice: &Choice,
        enter: impl Fn() -> Option<G> + Send + Sync + 'static,
    ) -> io::Result<()> {
        let background = match choice {
            Choice::Own(threads) => {
                let runtime = build(*threads, enter)?;
                BackgroundRuntime { handle: runtime.handle().clone(), runtime: Mutex::new(Some(runtime)) }
            }
            Choice::Lent(handle) => BackgroundRuntime { handle: handle.clone(), runtime: Mutex::new(None) },
        };
        let set = self.0.set(background);
        debug_assert!(set.is_ok(), "a runtime is started once");
        Ok(())
    }

    /// Enters the tokio runtime on this thread, until the guard is dropped. Does without where
    /// tokio would panic: in the destructor of a thread-local value that outlives tokio's own.
    pub(crate) fn enter(&self) -> TokioEntered<'_> {
        let is_too_late = || Handle::try_current().is_err_and(|error| error.is_thread_local_destroyed());
        self.0.get().filter(|_| !is_too_late()).map(|background| background.handle.enter())
    }

    /// Shuts the tokio runtime down, after wsrt: drops its tasks, and waits for its blocking jobs,
    /// at most until `deadline`.
    pub(crate) fn shut_down(&self, deadline: Option<Instant>) {
        let Some(runtime) = self.take() else { return };
        match deadline {
            // Inside any tokio runtime, tokio panics instead of waiting, since that could block its
            // tasks.
            _ if Handle::try_current().is_ok() => runtime.shutdown_background(),
            Some(deadline) => runtime.shutdown_timeout(deadline.saturating_duration_since(Instant::now())),
            None => drop(runtime),
        }
    }

    /// Shuts the tokio runtime down on its own thread, once `wait_for_wsrt` has returned. No
    /// thread waits for that one.
    pub(crate) fn shut_down_later(&self, wait_for_wsrt: impl FnOnce() + Send + 'static) {
        let Some(runtime) = self.take() else { return };
        // If the OS refuses a thread, the runtime is dropped here with the closure, and waits for
        // nothing.
        let runtime = EndsInBackground(Some(runtime));
        let waiting = thread::Builder::new().name("wsrt-tokio-end".into()).spawn(move || {
            wait_for_wsrt();
            drop(runtime);
        });
        drop(waiting);
    }

    fn take(&self) -> Option<Runtime> {
        self.0.get()?.runtime.lock().take()
    }
}

fn build<G: 'static>(threads: usize, enter: impl Fn() -> Option<G> + Send + Sync + 'static) -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("wsrt-tokio")
        .on_thread_start(move || ENTERED.set(enter().map(|entered| Box::new(entered) as Box<dyn Any>)))
        .on_thread_stop(leave_wsrt)
        .enable_all()
        .build()
}

/// A tokio runtime that does not wait for its blocking jobs when it is dropped.
struct EndsInBackground(Option<Runtime>);

impl Drop for EndsInBackground {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

fn leave_wsrt() {
    drop(ENTERED.take());
}

impl fmt::Debug for TokioCompat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TokioCompat").field(&self.0.get().map(|background| background.handle.id())).finish()
    }
}
