//! The line of the waiters for permits, in its own allocation: made when the first comes, and
//! kept until the lock is dropped.
//!
//! A lock may be moved, and a line may not: dumps find it by the list of
//! [contended] locks. And a lock that no task has waited for is smaller.

use crate::contended;
use crate::sync::atomic::AtomicPtr;
use crate::sync::atomic::Ordering::{AcqRel, Acquire};
use crate::sync::{WaitGuard, WaitLock, const_fn};
use crate::wait::{Place, WaitKind};
use crate::wait_list::WaitList;
use std::fmt;
use std::ptr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A lock tells the time when the first waiter comes, and when each sixteenth does: that would be a
/// good part of the price of a wait.
const ENTRIES_PER_READING: u32 = 16;

/// The waiters for the permits of one lock, and the lock's state as dumps see it.
#[derive(Debug)]
pub(crate) struct Line {
    queue: WaitLock<Queue>,
    pub(crate) place: Place,
    /// The key in the list of contended locks, if it is listed.
    listed: OnceLock<usize>,
}

/// The state of a line, under its lock.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) list: WaitList<Need>,
    /// The holder, as it was when the last waiter came or permits were last handed over. It does
    /// not change in between: while a task waits, permits are handed over only.
    pub(crate) holder: u64,
    /// Where the lock was when the last waiter came: while one waits, it is not moved.
    pub(crate) address: usize,
    /// A moment since which the holder has held what it holds.
    pub(crate) since: Option<Instant>,
    /// Steps after which a holder or a waiter may be another.
    pub(crate) changes: u64,
    entries: u32,
}

/// The request of one waiter.
#[derive(Debug)]
pub(crate) struct Need {
    /// The permits that it waits for.
    pub(crate) lacks: usize,
    /// The permits that it has so far.
    pub(crate) has: usize,
    /// The task that waits; zero if it is none.
    pub(crate) task: u64,
    pub(crate) kind: WaitKind,
}

impl Line {
    fn new(place: Place) -> Self {
        let queue = Queue { list: WaitList::new(), holder: 0, address: 0, since: None, changes: 0, entries: 0 };
        Self { queue: WaitLock::new(queue), place, listed: OnceLock::new() }
    }

    pub(crate) fn lock(&self) -> WaitGuard<'_, Queue> {
        self.queue.lock()
    }
}

impl Queue {
    /// Notes that a waiter has come, and the holder that it found.
    pub(crate) fn note_entry(&mut self, holder: u64, address: usize) {
        self.address = address;
        if self.entries % ENTRIES_PER_READING == 0 && self.since.is_none() {
            self.since = Some(Instant::now());
        }
        self.entries = self.entries.wrapping_add(1);
        self.holder = holder;
    }

    /// Notes the task that polls for a waiter: a future may move from task to task.
    pub(crate) fn note_task(&mut self, key: usize, task: u64) {
        let before = std::mem::replace(&mut self.list.value_mut(key).task, task);
        self.changes += u64::from(before != task);
    }

    /// Notes that permits were given back, and the holder there is now.
    pub(crate) fn note_hand_over(&mut self, holder: u64) {
        self.holder = holder;
        self.since = None;
        self.changes += 1;
    }
}

/// The place for a line that is made when it is first needed.
pub(crate) struct LazyLine(AtomicPtr<Line>);

impl LazyLine {
    const_fn! {
        pub(crate) fn new() -> Self {
            Self(AtomicPtr::new(ptr::null_mut()))
        }
    }

    pub(crate) fn get(&self) -> Option<&Line> {
        // Acquire pairs with the Release of `make`.
        let line = self.0.load(Acquire);
        // SAFETY: it is null, or the pointer of an `Arc` that this keeps until it is dropped.
        unsafe { line.as_ref() }
    }

    /// Returns the line, and makes and lists it if there is none.
    pub(crate) fn get_or_make(&self, place: Place) -> &Line {
        self.get().unwrap_or_else(|| self.make(place))
    }

    #[cold]
    fn make(&self, place: Place) -> &Line {
        let fresh = Arc::new(Line::new(place));
        let raw = Arc::into_raw(Arc::clone(&fresh)).cast_mut();
        match self.0.compare_exchange(ptr::null_mut(), raw, AcqRel, Acquire) {
            Ok(_) => {
                let _ = fresh.listed.set(contended::enlist(&fresh));
            }
            // SAFETY: another thread was faster: the reference that was to go there comes back.
            Err(_) => drop(unsafe { Arc::from_raw(raw) }),
        }
        self.get().expect("it was just made, by this thread or another one")
    }
}

impl Drop for LazyLine {
    fn drop(&mut self) {
        let raw = self.0.load(Acquire);
        if raw.is_null() {
            return;
        }
        // SAFETY: `make` put the pointer of an `Arc` there, and nothing else does.
        let line = unsafe { Arc::from_raw(raw) };
        if let Some(&key) = line.listed.get() {
            contended::strike(key);
        }
    }
}

impl fmt::Debug for LazyLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
