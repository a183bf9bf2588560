//! `Listener`: waits for one signal, from the listener's creation on.

use std::io;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

#[cfg(feature = "process")]
use wsrt_reactor::Handle;
use wsrt_reactor::{WaiterKey, budget};
use wsrt_sync::drop_in::OUTSIDE;

use super::bell::{Bell, Ear, drain};
use super::unix::SignalKind;
use crate::scheduler::Context;
use crate::scheduler::drop_in::HEARS_WHAT_NO_TURN_HAS_SEEN;

/// A listener that receives each signal that arrives after its creation; signals between two polls
/// count as one. A task can wait for the listener once it is attached to a runtime.
#[derive(Debug)]
pub(crate) struct Listener {
    bell: Arc<Bell>,
    /// The count of signals that came before the listener's creation, or were received.
    seen: usize,
    attached: Option<Attached>,
}

/// An entry among the waiters of a runtime.
#[derive(Debug)]
struct Attached {
    ear: Arc<Ear>,
    key: WaiterKey,
}

impl Listener {
    pub(crate) fn new(kind: SignalKind) -> io::Result<Self> {
        // A handler stays for as long as the process.
        if let Some(scheduler) = Context::current_scheduler() {
            scheduler.netpoller.handle().check_accepts("signal")?;
        }
        let bell = Bell::of(kind)?;
        let seen = bell.arrivals();
        Ok(Self { bell, seen, attached: None })
    }

    /// Attaches the listener to the current runtime, unless it is already attached. Returns `false`
    /// if there is no current runtime.
    pub(super) fn attach(&mut self) -> io::Result<bool> {
        if self.attached.is_some() {
            return Ok(true);
        }
        let Some(scheduler) = Context::current_scheduler() else { return Ok(false) };
        // The runtime keeps the ear, since programs make a listener anew each time that they wait.
        let keep = |ear: &Arc<Ear>| scheduler.kept.keep(ear);
        let ear = self.bell.ear_in(scheduler.netpoller.handle(), keep)?;
        if HEARS_WHAT_NO_TURN_HAS_SEEN {
            self.seen = ear.old_at(self.seen);
        }
        self.attached = Some(Attached::to(ear));
        Ok(true)
    }

    /// Attaches the listener to the runtime of `netpoller`, unless it is already attached.
    #[cfg(feature = "process")]
    pub(crate) fn attach_to(&mut self, netpoller: &Handle) -> io::Result<()> {
        if self.attached.is_none() {
            self.attached = Some(Attached::to(self.bell.ear_in(netpoller, |_| {})?));
        }
        Ok(())
    }

    /// Returns ready if a signal has arrived since it last did. The listener must be attached.
    pub(crate) fn poll_recv(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        let Self { bell, seen, attached } = self;
        let Attached { ear, key } = attached.as_mut().expect("a listener is attached before it is waited for");
        budget::poll_spending(cx, |cx| {
            ear.stream().poll_announced(
                key,
                cx,
                |stream| drain(stream),
                || {
                    let arrivals = bell.arrivals();
                    ear.note_heard(arrivals);
                    (arrivals != *seen).then(|| *seen = arrivals)
                },
            )
        })
    }
}

impl Attached {
    fn to(ear: Arc<Ear>) -> Self {
        Self { ear, key: WaiterKey::default() }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.ear.stream().withdraw(std::mem::take(&mut self.key));
    }
}

/// Panics with a message that says that `what` must happen inside a runtime.
#[track_caller]
pub(super) fn needs_runtime(what: &str) -> ! {
    panic!(
        "wsrt: {OUTSIDE}{what} outside a wsrt runtime: do it inside `#[wsrt::main]`, a spawned task or `Runtime::block_on`"
    )
}
