//! The state word of a task: flags in the low bits, a reference count above them, and one method
//! for each transition. The methods return enums that say what the caller owns, and has to do.
//!
//! | bit | flag | means |
//! |---|---|---|
//! | 0 | `SCHEDULED` | a runnable exists, or will when the current poll returns |
//! | 1 | `RUNNING` | a machine polls the future, or drops it |
//! | 2 | `COMPLETE` | the future was dropped |
//! | 3 | `CANCELLED` | the next holder of the runnable drops the future instead of polling it |
//! | 4 | `JOIN_INTEREST` | the join handle exists, and gets the result on completion |
//! | 5 | `JOIN_WAKER` | the join slot is filled, and its waker belongs to the completing side |
//! | 6 | `SELF_HELD` | the task has the life reference, which completion drops |
//! | 7… | | references |
//!
//! The first three flags are neighbours, so that each poll's transitions are additions and
//! subtractions: `SCHEDULED + 1 = RUNNING`, and `RUNNING + 2 = COMPLETE`. x86 adds in one
//! instruction, while setting one bit and clearing another takes a loop.

use std::{fmt, process};

use crate::util::report::report;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicUsize, Ordering, fence};

#[cfg(all(test, not(wsrt_loom), not(miri)))]
mod tests;

const SCHEDULED: usize = 1 << 0;
const RUNNING: usize = 1 << 1;
const COMPLETE: usize = 1 << 2;
const CANCELLED: usize = 1 << 3;
const JOIN_INTEREST: usize = 1 << 4;
const JOIN_WAKER: usize = 1 << 5;
const SELF_HELD: usize = 1 << 6;
const REFERENCE: usize = 1 << 7;

/// A new task: scheduled, with a join handle, and with two references, the handle's and the life
/// reference.
const NEW: usize = SCHEDULED | JOIN_INTEREST | (2 * REFERENCE);

/// The largest value of the word. Beyond it the count could overflow, and the cell be freed too
/// early. On 32-bit targets this is 2^24 references; 64-bit targets have no memory for as many.
const MOST: usize = isize::MAX as usize;

/// A value of the word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Snapshot(usize);

impl Snapshot {
    fn has(self, flag: usize) -> bool {
        self.0 & flag != 0
    }

    /// Returns whether the task is unfinished, is not polled, and has no runnable.
    fn is_idle(self) -> bool {
        !self.has(SCHEDULED | RUNNING | COMPLETE)
    }

    fn references(self) -> usize {
        self.0 / REFERENCE
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(usize, &str); 7] = [
            (SCHEDULED, "SCHEDULED"),
            (RUNNING, "RUNNING"),
            (COMPLETE, "COMPLETE"),
            (CANCELLED, "CANCELLED"),
            (JOIN_INTEREST, "JOIN_INTEREST"),
            (JOIN_WAKER, "JOIN_WAKER"),
            (SELF_HELD, "SELF_HELD"),
        ];
        let mut set = f.debug_set();
        for (_, name) in NAMES.iter().filter(|(flag, _)| self.has(*flag)) {
            set.entry(&format_args!("{name}"));
        }
        set.entry(&format_args!("{} references", self.references())).finish()
    }
}

#[cold]
fn abort_for_references() -> ! {
    report(format_args!(
        "a task has {} wakers, abort handles and other references, the most that can be counted: the process is aborted",
        MOST / REFERENCE + 1
    ));
    process::abort();
}

/// The state word.
pub(super) struct State {
    word: AtomicUsize,
}

impl State {
    pub(super) fn new() -> Self {
        Self { word: AtomicUsize::new(NEW) }
    }

    /// Returns whether the task is complete.
    ///
    /// Acquire pairs with the Release of [`complete`](Self::complete): a thread that sees the task
    /// complete sees the result.
    #[inline]
    pub(super) fn is_complete(&self) -> bool {
        self.now(Acquire).has(COMPLETE)
    }

    /// Returns whether the join handle exists. Relaxed: callers only show the value.
    pub(super) fn has_join_handle(&self) -> bool {
        self.now(Relaxed).has(JOIN_INTEREST)
    }

    /// Returns a view of the task for dumps. Relaxed: callers only show the values.
    pub(super) fn look(&self) -> Look {
        let now = self.now(Relaxed);
        let phase = match now {
            now if now.has(COMPLETE) => TaskPhase::Complete,
            now if now.has(RUNNING) => TaskPhase::Running,
            now if now.has(SCHEDULED) => TaskPhase::Scheduled,
            _ => TaskPhase::Idle,
        };
        // Without the life reference and the join handle's.
        let has_join_handle = now.has(JOIN_INTEREST);
        let wakers = now.references().saturating_sub(1 + usize::from(has_join_handle));
        Look { phase, is_watched: now.has(JOIN_WAKER), wakers, has_join_handle }
    }

    #[inline]
    fn now(&self, ordering: Ordering) -> Snapshot {
        Snapshot(self.word.load(ordering))
    }

    // ---- for the holder of the runnable or the claim, which a step gives up or returns ----

    /// scheduled → running.
    ///
    /// Acquire pairs with the Release of every [`wake`](Self::wake) since the last poll, the first
    /// of which made the runnable, and with the Release of [`pause`](Self::pause). All of them are
    /// read-modify-writes, so that they are one release sequence: the poll sees the writes of each
    /// waker, and the writes of the poll before it.
    pub(super) fn start_poll(&self) -> Started {
        let before = Snapshot(self.word.fetch_add(RUNNING - SCHEDULED, Acquire));
        debug_assert!(
            before.has(SCHEDULED) && !before.has(RUNNING | COMPLETE),
            "start_poll without a runnable: {before:?}"
        );
        if before.has(CANCELLED) { Started::Cancel } else { Started::Poll }
    }

    /// running → idle, or scheduled if the task was woken during the poll.
    ///
    /// Release pairs with the Acquire of `start_poll` and `shut_down`: the next thread that polls
    /// or drops the future sees the writes of this poll. It also pairs with the Acquire of `wake`,
    /// whose caller may use the queue link.
    pub(super) fn pause(&self) -> Paused {
        let before = Snapshot(self.word.fetch_sub(RUNNING, Release));
        debug_assert!(before.has(RUNNING) && !before.has(COMPLETE), "pause without a poll: {before:?}");
        // CANCELLED is set together with SCHEDULED, so there is a runnable to cancel with.
        match (before.has(SCHEDULED), before.has(CANCELLED)) {
            (false, _) => Paused::Idle,
            (true, false) => Paused::Reschedule,
            (true, true) => Paused::Cancel,
        }
    }

    /// running → complete. Adds a reference for the caller: from now on another thread may drop the
    /// life reference, and the caller still has to wake the joiner and leave the registry.
    ///
    /// Release pairs with the Acquire of [`is_complete`](Self::is_complete), for the result.
    /// Acquire pairs with the Release of [`watch`](Self::watch), for the join waker.
    pub(super) fn complete(&self) -> Completion {
        let before = Snapshot(self.word.fetch_add(COMPLETE - RUNNING + REFERENCE, AcqRel));
        debug_assert!(before.has(RUNNING) && !before.has(COMPLETE), "complete without a poll: {before:?}");
        debug_assert!(before.references() > 0, "a task lived without its life reference: {before:?}");
        Completion {
            drop_result: !before.has(JOIN_INTEREST),
            wake_joiner: before.has(JOIN_WAKER),
            self_held: before.has(SELF_HELD),
        }
    }

    // ---- for wakers and abort handles ----

    /// idle → scheduled; running → running and scheduled. Keeps the caller's reference.
    ///
    /// The word is written even if no flag changes. Release pairs with the Acquire of
    /// [`start_poll`](Self::start_poll): the next poll sees the caller's writes before the wake.
    /// Acquire pairs with the Release of [`pause`](Self::pause): a caller that gets the runnable
    /// may use the queue link.
    pub(super) fn wake(&self) -> Woken {
        self.schedule_with(SCHEDULED)
    }

    /// Wakes the task, like [`wake`](Self::wake), and drops the caller's reference in the same
    /// step.
    pub(super) fn wake_and_drop_reference(&self) -> Woken {
        let mut now = self.now(Relaxed);
        loop {
            debug_assert!(now.references() > 0, "a waker without a reference: {now:?}");
            let next = Snapshot((now.0 | SCHEDULED) - REFERENCE);
            // Orderings as in `wake`. Dropping a reference needs AcqRel too.
            match self.word.compare_exchange_weak(now.0, next.0, AcqRel, Relaxed) {
                Ok(_) if now.is_idle() => return Woken::Submit,
                Ok(_) if next.references() == 0 => return Woken::Free,
                Ok(_) => return Woken::Nothing,
                Err(actual) => now = Snapshot(actual),
            }
        }
    }

    /// Wakes the task, and makes the holder of the runnable cancel it. Has no effect on a complete
    /// task.
    pub(super) fn abort(&self) -> Woken {
        self.schedule_with(SCHEDULED | CANCELLED)
    }

    fn schedule_with(&self, flags: usize) -> Woken {
        // These flags have no meaning after COMPLETE, so they may be set then.
        let before = Snapshot(self.word.fetch_or(flags, AcqRel));
        debug_assert!(before.references() > 0, "a wake without a reference: {before:?}");
        if before.is_idle() { Woken::Submit } else { Woken::Nothing }
    }

    // ---- the life reference ----

    /// Cancels the task at the runtime's end. idle → running; otherwise like
    /// [`abort`](Self::abort). The life reference passes to the task, unless the task is complete.
    ///
    /// Acquire pairs with the Release of [`pause`](Self::pause): the thread that claims the future
    /// sees the writes of the last poll.
    pub(super) fn shut_down(&self) -> ShutDown {
        let mut now = self.now(Acquire);
        loop {
            if now.has(COMPLETE) {
                return ShutDown::Complete;
            }
            let step = if now.is_idle() { RUNNING } else { SCHEDULED };
            let next = now.0 | step | CANCELLED | SELF_HELD;
            match self.word.compare_exchange_weak(now.0, next, AcqRel, Acquire) {
                Ok(_) if now.is_idle() => return ShutDown::Claimed,
                Ok(_) => return ShutDown::LeftToRunnable,
                Err(actual) => now = Snapshot(actual),
            }
        }
    }

    /// Passes the life reference to the task.
    ///
    /// Release pairs with the Acquire of [`complete`](Self::complete): the uses of the reference
    /// come before completion drops it.
    pub(super) fn let_go(&self) -> LetGo {
        let before = Snapshot(self.word.fetch_or(SELF_HELD, Release));
        if before.has(COMPLETE) { LetGo::Complete } else { LetGo::LeftToTask }
    }

    // ---- for the join handle ----

    /// Returns what the join handle finds. Acquire as in [`is_complete`](Self::is_complete).
    pub(super) fn joining(&self) -> Joining {
        let now = self.now(Acquire);
        if !now.has(COMPLETE | JOIN_WAKER) {
            return Joining::Unwatched;
        }
        if now.has(COMPLETE) { Joining::Complete } else { Joining::Watched }
    }

    /// Passes the filled join slot to the completing side.
    ///
    /// Release pairs with the Acquire of [`complete`](Self::complete), for the waker in the slot.
    /// Acquire as in [`is_complete`](Self::is_complete).
    pub(super) fn watch(&self) -> JoinWatch {
        self.unless_complete(|now| {
            debug_assert!(now.has(JOIN_INTEREST) && !now.has(JOIN_WAKER), "watch twice: {now:?}");
            now.0 | JOIN_WAKER
        })
    }

    /// Takes the join slot back, to change its waker.
    pub(super) fn unwatch(&self) -> JoinWatch {
        self.unless_complete(|now| {
            debug_assert!(now.has(JOIN_INTEREST) && now.has(JOIN_WAKER), "unwatch before watch: {now:?}");
            now.0 & !JOIN_WAKER
        })
    }

    fn unless_complete(&self, step: impl Fn(Snapshot) -> usize) -> JoinWatch {
        let mut now = self.now(Acquire);
        loop {
            if now.has(COMPLETE) {
                return JoinWatch::Complete;
            }
            match self.word.compare_exchange_weak(now.0, step(now), AcqRel, Acquire) {
                Ok(_) => return JoinWatch::InTime,
                Err(actual) => now = Snapshot(actual),
            }
        }
    }

    /// Drops the join handle. If the task is unfinished and the slot is empty, the handle's
    /// reference is dropped in the same step. It is not the last, since an unfinished task has its
    /// life reference.
    ///
    /// Release as in [`drop_references`](Self::drop_references). Acquire as in
    /// [`is_complete`](Self::is_complete).
    pub(super) fn detach(&self) -> Detached {
        let mut now = self.now(Acquire);
        loop {
            if now.has(COMPLETE) {
                return Detached::OwesResult;
            }
            let (next, owes) = if now.has(JOIN_WAKER) {
                (now.0 & !(JOIN_INTEREST | JOIN_WAKER), Detached::OwesWaker)
            } else {
                ((now.0 & !JOIN_INTEREST) - REFERENCE, Detached::Done)
            };
            match self.word.compare_exchange_weak(now.0, next, AcqRel, Acquire) {
                Ok(_) => return owes,
                Err(actual) => now = Snapshot(actual),
            }
        }
    }

    // ---- references ----

    /// Adds a reference.
    ///
    /// Relaxed: the caller has a reference, and whatever passes the new reference to another thread
    /// synchronizes.
    pub(super) fn add_reference(&self) {
        if self.word.fetch_add(REFERENCE, Relaxed) > MOST {
            abort_for_references();
        }
    }

    /// Drops `count` references.
    ///
    /// Release pairs with the Acquire of the thread that drops the last reference: all uses of the
    /// other references come before the cell is freed.
    ///
    /// A thread that has all references does not count them down, since no other thread uses the
    /// word.
    pub(super) fn drop_references(&self, count: usize) -> Dropped {
        let now = self.now(Acquire);
        if now.references() > count && self.count_down(count) == Dropped::Others {
            return Dropped::Others;
        }
        debug_assert!(now.references() >= count, "more references dropped than there were: {now:?} - {count}");
        debug_assert!(self.is_complete(), "the last reference to an unfinished task: {now:?}");
        Dropped::Last
    }

    #[inline]
    fn count_down(&self, count: usize) -> Dropped {
        let before = Snapshot(self.word.fetch_sub(count * REFERENCE, Release));
        if before.references() > count {
            return Dropped::Others;
        }
        fence(Acquire);
        Dropped::Last
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.now(Relaxed).fmt(f)
    }
}

/// The result of a wake or an abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Woken {
    /// The caller owns the new runnable, and has to pass it to the scheduler.
    Submit,
    /// The runnable exists already, or the task is complete.
    Nothing,
    /// The wake dropped the last reference: the caller has to free the cell.
    Free,
}

/// The duty of the holder of a runnable that has claimed the future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Started {
    Poll,
    Cancel,
}

/// The duty of the thread whose poll returned pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Paused {
    /// The task waits for a wake. The caller must not use the cell anymore.
    Idle,
    /// The task was woken during the poll: the caller has the runnable, for the back of the queue.
    Reschedule,
    /// The task was aborted during the poll: the caller has the runnable, and has to cancel.
    Cancel,
}

/// The duties of the completing side, which also has the reference that completion added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) struct Completion {
    /// True if the join handle is gone: drop the result.
    pub(crate) drop_result: bool,
    /// True if the waker in the slot is the caller's: take it out, and wake it.
    pub(crate) wake_joiner: bool,
    /// True if the task has the life reference: drop it.
    pub(crate) self_held: bool,
}

/// The result of shutting a task down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum ShutDown {
    /// The task was idle: the caller has the claim, and drops the future.
    Claimed,
    /// The holder of the runnable will drop the future.
    LeftToRunnable,
    /// The task was complete already: the life reference is still the caller's.
    Complete,
}

/// The result of dropping the life reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum LetGo {
    /// Completion will drop the reference.
    LeftToTask,
    /// The task is complete: the reference is still the caller's.
    Complete,
}

/// The state of a task for its join handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Joining {
    /// The task is complete. The body holds the result, unless the result was taken.
    Complete,
    /// Completion will wake the waker in the slot.
    Watched,
    /// The slot is empty, and belongs to the handle.
    Unwatched,
}

/// The result of filling or emptying the join slot: before completion, or too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum JoinWatch {
    InTime,
    Complete,
}

/// The duty of a dropped join handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Detached {
    /// Nothing: the handle's reference was dropped too.
    Done,
    /// Drop the waker in the slot, and then the reference.
    OwesWaker,
    /// Drop the result, unless it was taken, and then the reference.
    OwesResult,
}

/// The result of dropping references: others exist, or the last was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Dropped {
    Others,
    Last,
}

/// The phase of a task, for dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskPhase {
    /// The task has a runnable, and waits to be polled.
    Scheduled,
    /// A machine polls the future, or drops it.
    Running,
    /// The task waits for a wake.
    Idle,
    /// The future was dropped.
    Complete,
}

/// A view of a task, for dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) phase: TaskPhase,
    /// True if the join slot is filled, or was a moment ago.
    pub(crate) is_watched: bool,
    /// The number of wakers and abort handles.
    pub(crate) wakers: usize,
    pub(crate) has_join_handle: bool,
}

impl Look {
    /// Returns whether nothing but the end of the runtime can end the task's wait.
    ///
    /// The answer `true` stays true, although the word was read without a lock: a waker is only
    /// cloned from another one, and a poll, which lends the first, needs a wake.
    pub(crate) fn is_orphan(&self) -> bool {
        self.phase == TaskPhase::Idle && self.wakers == 0 && !self.has_join_handle
    }
}
