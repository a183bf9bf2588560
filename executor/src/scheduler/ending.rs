//! How far the end of a runtime has come: the token of its tasks, the drains that wait for the
//! last of them, and the threads that have yet to leave. `drain` and `shutdown` work with it.

use std::panic::Location;
use std::time::Instant;

use wsrt_sync::CancellationToken;

use crate::scheduler::core::presence::Presence;
use crate::task::Id;
use crate::util::sync::{Condvar, Mutex};
use crate::util::unwind::quietly;

/// How far the end has come.
pub(crate) struct Shutdown {
    pub(in crate::scheduler) presence: Presence,
    finished: Mutex<bool>,
    on_finished: Condvar,
}

impl Shutdown {
    pub(crate) fn new() -> Self {
        Self { presence: Presence::new(), finished: Mutex::new(false), on_finished: Condvar::new() }
    }

    /// Returns whether the end has begun.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.presence.has_begun()
    }

    /// Returns whether the last machine has cleaned up.
    pub(crate) fn has_finished(&self) -> bool {
        *self.finished.lock()
    }

    /// Counts a thread in that is about to run tasks, or to watch those that do. `false` once the
    /// last has departed.
    #[must_use]
    pub(crate) fn arrive(&self) -> bool {
        self.presence.arrive()
    }

    /// Says that the last machine has cleaned up.
    pub(in crate::scheduler) fn finish(&self) {
        *self.finished.lock() = true;
        self.on_finished.notify_all();
    }

    /// Waits until the last machine has cleaned up. `false` if `deadline` came first.
    #[must_use]
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> bool {
        let mut finished = self.finished.lock();
        let is_unfinished = |finished: &mut bool| !*finished;
        match deadline {
            None => self.on_finished.wait_while(&mut finished, is_unfinished),
            Some(deadline) => _ = self.on_finished.wait_while_until(&mut finished, is_unfinished, deadline),
        }
        *finished
    }
}

/// The waits for the last task that are under way.
#[derive(Debug, Default)]
pub(crate) struct Drains(pub(in crate::scheduler) Mutex<Vec<Drain>>);

#[derive(Debug)]
pub(in crate::scheduler) struct Drain {
    pub(in crate::scheduler) number: Id,
    /// The tasks that await it. None if it is awaited outside the runtime.
    pub(in crate::scheduler) awaited_by: Vec<Id>,
    pub(in crate::scheduler) is_over: bool,
}

impl Drains {
    /// The tasks that await any of them.
    pub(in crate::scheduler) fn awaited_by(&self) -> Vec<Id> {
        self.0.lock().iter().flat_map(|drain| drain.awaited_by.iter().copied()).collect()
    }
}

/// Returns the token of a runtime, which tells its tasks that they should end. It outlives the
/// runtime, for its listeners.
pub(in crate::scheduler) fn new_token() -> CancellationToken {
    CancellationToken::new()
}

/// Tells the tasks that they should end.
pub(in crate::scheduler) fn tell(token: &CancellationToken) {
    // It wakes the listeners, whose wakers may be foreign.
    quietly(|| token.cancel());
}

/// Returns whether the token that is waited for, made at `place`, is the token of a runtime.
pub(crate) fn is_made_at(place: &Location<'_>) -> bool {
    place.file() == file!()
}
