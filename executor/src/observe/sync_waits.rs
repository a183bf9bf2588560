//! The waits of tasks for locks and channels.

use std::fmt;
use std::panic::Location;
use std::time::{Duration, Instant};

use wsrt_sync::wait::{TaskWait, WaitKind};
use wsrt_sync::waited_locks::ContendedLock;
use wsrt_trace::place::ShortLocation;

use super::dump::{SeenTask, WaitsOn};
use crate::scheduler::ending;
use crate::task::{Id, TaskPhase};

/// A lock or channel that a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncWait {
    wait: TaskWait,
    holder: Option<Id>,
    is_held_by_root: bool,
    is_promised: bool,
    held_for: Option<Duration>,
}

impl SyncWait {
    /// Creates a wait of which only the kind and the place are known.
    pub(super) fn new(wait: TaskWait) -> Self {
        Self { wait, holder: None, is_held_by_root: false, is_promised: false, held_for: None }
    }

    /// Creates a wait for `lock` by an operation of kind `kind`.
    pub(super) fn for_lock(lock: &ContendedLock, kind: WaitKind, now: Instant) -> Self {
        let holder = lock.blocker();
        Self {
            wait: TaskWait { kind, place: lock.place() },
            holder: holder.task().map(Id::from_number),
            is_held_by_root: holder.is_root(),
            is_promised: lock.promised_to().is_some(),
            held_for: lock.held_since().map(|since| now.saturating_duration_since(since)),
        }
    }

    /// Returns the kind of operation that waits, such as locking a mutex.
    #[must_use]
    pub fn kind(&self) -> WaitKind {
        self.wait.kind
    }

    /// Returns the source location where the lock or channel was created.
    ///
    /// If a `#[track_caller]` function creates the lock or channel, the location is the
    /// call's. For a field of a type with `#[derive(Default)]`, the location is the field's.
    #[must_use]
    pub fn made_at(&self) -> &'static Location<'static> {
        self.wait.place
    }

    /// Returns the task that holds the lock, or that holds permits of the semaphore.
    ///
    /// The holder is the task that acquired the lock, even if that task has since given the guard
    /// to another task. If there are several readers or permit holders, the most recent one is
    /// returned. Returns `None` if that holder has released the lock, if the lock was acquired
    /// outside a task, and for channels, unless the channel's room [is
    /// promised](Self::is_promised).
    #[must_use]
    pub fn holder(&self) -> Option<Id> {
        self.holder
    }

    /// Returns whether the [`holder`](Self::holder) was handed the lock, or some permits of the
    /// semaphore or room of the channel, while it waited for them, and has not polled the waiting
    /// future since then.
    ///
    /// For a moment, this is so after each hand-over: until the holder, which was woken, is polled.
    #[must_use]
    pub fn is_promised(&self) -> bool {
        self.is_promised
    }

    /// Returns a lower bound for how long the [`holder`](Self::holder) has held the lock, counted
    /// from when a task began to wait for it, or `None` without a holder or a known time. The clock
    /// is read for a lock's first wait and for every sixteenth wait after it.
    #[must_use]
    pub fn held_for(&self) -> Option<Duration> {
        self.holder.and(self.held_for)
    }
}

impl fmt::Display for SyncWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if ending::is_made_at(self.made_at()) {
            return f.write_str("the runtime's shutdown token");
        }
        write!(f, "{} made at {}", self.kind().awaited(), ShortLocation(self.made_at()))?;
        match self.holder {
            Some(holder) if self.is_promised => {
                return write!(f, ", promised to a future of task {holder}, which has not polled it since");
            }
            None if self.is_held_by_root && self.is_promised => {
                return f.write_str(", promised to a future in `block_on`, which has not been polled since");
            }
            Some(holder) => write!(f, ", held by task {holder}")?,
            None if self.is_held_by_root => return f.write_str(", held by a future in `block_on`"),
            None => return Ok(()),
        }
        self.held_for.map_or(Ok(()), |time| write!(f, " for at least {time:.1?}"))
    }
}

impl SeenTask {
    /// Records a lock wait with the lock's holder, and replaces the task's own record.
    pub(super) fn wait_for_lock(&mut self, wait: SyncWait) {
        if self.snapshot.phase != TaskPhase::Idle {
            return;
        }
        let plain = WaitsOn::Sync(SyncWait::new(wait.wait));
        match self.waits_on.iter_mut().find(|on| **on == plain) {
            Some(on) => *on = WaitsOn::Sync(wait),
            None => self.waits_on.push(WaitsOn::Sync(wait)),
        }
    }
}
