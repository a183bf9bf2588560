//! Sources whose events announce a change that was made elsewhere. Any number of waiters look for
//! the change, and each event wakes all of them.
//!
//! The reading end of a pair of sockets is such a source, where a signal handler counts the signal
//! and then writes a byte. The byte carries nothing: one of the waiters reads all that are there,
//! and the event counts as used up for the others too.

use crate::evented::Evented;
use crate::interest::Interest;
use crate::source::{Condition, SourceState};
use crate::waiters::WaiterKind;
use std::io;
use std::task::{Context, Poll, ready};

const READ: Interest = Interest::READABLE;

/// Identifies a waiter of a source across calls of `poll_announced`, so that the waiter's waker can
/// be replaced or removed.
#[derive(Debug, Default)]
pub struct WaiterKey(Option<usize>);

impl SourceState {
    /// Returns the first result of `look`, which is asked after each event; `drain` uses up what
    /// the events announce.
    ///
    /// No change is missed, though another waiter may use up its event. The change is made first
    /// and its event is dispatched later, which takes the wakers. Either it takes this waiter's; or
    /// it came before this waiter's critical section, and the second look sees the change.
    pub(crate) fn poll_announced<R>(
        &self,
        key: &mut WaiterKey,
        cx: &mut Context<'_>,
        mut drain: impl FnMut(),
        mut look: impl FnMut() -> Option<R>,
    ) -> Poll<io::Result<R>> {
        if let Some(found) = look() {
            return Poll::Ready(Ok(found));
        }
        loop {
            if let Poll::Ready(Ok(seen)) = self.look(Condition::WorthTrying, READ) {
                drain();
                self.readiness().clear_would_block(seen, READ);
            }
            let waited = self.poll_ready(Condition::Reported, READ, cx, WaiterKind::Keyed(&mut key.0));
            if let Some(found) = look() {
                return Poll::Ready(Ok(found));
            }
            ready!(waited)?;
        }
    }
}

impl<S: mio::event::Source> Evented<S> {
    /// Returns the first result that `look` produces. `look` is called after each event that makes
    /// the source readable; while `look` returns nothing, registers the current task to be woken by
    /// the next event.
    ///
    /// Use this method for a source whose events announce a change that has already been made
    /// elsewhere. `drain` must read everything that can be read without waiting. The call does not
    /// spend the task's budget.
    ///
    /// # Errors
    ///
    /// Returns an error if it would have to wait and the runtime was shut down.
    pub fn poll_announced<R>(
        &self,
        key: &mut WaiterKey,
        cx: &mut Context<'_>,
        mut drain: impl FnMut(&S),
        look: impl FnMut() -> Option<R>,
    ) -> Poll<io::Result<R>> {
        self.source_state().poll_announced(key, cx, || drain(self.get_ref()), look)
    }

    /// Removes the waker of a waiter that will not poll again.
    pub fn withdraw(&self, key: WaiterKey) {
        if let Some(key) = key.0 {
            self.source_state().withdraw(key);
        }
    }
}
