//! The state word of a task: flags below, a reference count above, and one method for each move.
//!
//! | bit | flag | means |
//! |---|---|---|
//! | 0 | `SCHEDULED` | a runnable exists, or one will when the poll under way returns |
//! | 1 | `RUNNING` | a machine polls the future, or drops it |
//! | 2 | `COMPLETE` | the future is gone for good |
//! | 3 | `CANCELLED` | the next holder of the runnable drops the future instead of polling it |
//! | 4 | `JOIN_INTEREST` | the join handle is there: on completion the result is left for it |
//! | 5 | `JOIN_WAKER` | the join waker's slot is filled, and the waker in it the completing side's |
//! | 6 | `SELF_HELD` | the life reference was left to the task: completion gives it back |
//! | 7… | | references |
//!
//! The first three are neighbours so that the moves of every poll are an addition or a subtraction,
//! which x86 does in one instruction, where setting one bit and clearing another is a loop:
//! `SCHEDULED + 1 = RUNNING`, and `RUNNING + 2 = COMPLETE`.

use std::{fmt, process};

use crate::util::report::report;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicUsize, Ordering, fence};

#[cfg(all(test, not(loom), not(miri)))]
mod tests;

const SCHEDULED: usize = 1 << 0;
const RUNNING: usize = 1 << 1;
const COMPLETE: usize = 1 << 2;
const CANCELLED: usize = 1 << 3;
const JOIN_INTEREST: usize = 1 << 4;
const JOIN_WAKER: usize = 1 << 5;
const SELF_HELD: usize = 1 << 6;
const REFERENCE: usize = 1 << 7;

/// A task is born scheduled, with a join handle, and with two references: that handle's and the
/// life reference.
const NEW: usize = SCHEDULED | JOIN_INTEREST | (2 * REFERENCE);

/// Beyond this the count is about to run over into a use after free. 2^24 references on a computer
/// of 32 bits; on one of 64 no memory holds as many.
const MOST: usize = isize::MAX as usize;

/// One value of the word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Snapshot(usize);

impl Snapshot {
    fn has(self, flag: usize) -> bool {
        self.0 & flag != 0
    }

    /// It is not polled and no runnable exists.
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

/// The word.
pub(super) struct State {
    word: AtomicUsize,
}

impl State {
    pub(super) fn new() -> Self {
        Self { word: AtomicUsize::new(NEW) }
    }

    /// Acquire pairs with the Release of [`complete`](Self::complete): a thread that sees the task
    /// complete sees its result.
    #[inline]
    pub(super) fn is_complete(&self) -> bool {
        self.now(Acquire).has(COMPLETE)
    }

    /// Returns whether the join handle is there. Relaxed: for callers that act on nothing that they
    /// see.
    pub(super) fn has_join_handle(&self) -> bool {
        self.now(Relaxed).has(JOIN_INTEREST)
    }

    /// Relaxed: for callers that act on nothing that they see.
    pub(super) fn look(&self) -> Look {
        let now = self.now(Relaxed);
        let phase = match now {
            now if now.has(COMPLETE) => TaskPhase::Complete,
            now if now.has(RUNNING) => TaskPhase::Running,
            now if now.has(SCHEDULED) => TaskPhase::Scheduled,
            _ => TaskPhase::Idle,
        };
        // The others are the life reference and the join handle's.
        let wakers = now.references().saturating_sub(1 + usize::from(now.has(JOIN_INTEREST)));
        Look { phase, is_watched: now.has(JOIN_WAKER), wakers }
    }

    #[inline]
    fn now(&self, ordering: Ordering) -> Snapshot {
        Snapshot(self.word.load(ordering))
    }

    // ---- the runnable's side: each of these consumes the runnable, or gives it back ----

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
    /// Release pairs with the Acquire of `start_poll` and `shut_down`: the next to touch the future
    /// sees it as the poll left it. And with the one of `wake`, whose caller may use the queue link
    /// at once.
    pub(super) fn pause(&self) -> Paused {
        let before = Snapshot(self.word.fetch_sub(RUNNING, Release));
        debug_assert!(before.has(RUNNING) && !before.has(COMPLETE), "pause without a poll: {before:?}");
        // CANCELLED comes with SCHEDULED, in one step: without it there would be no runnable to act
        // on it with.
        match (before.has(SCHEDULED), before.has(CANCELLED)) {
            (false, _) => Paused::Idle,
            (true, false) => Paused::Reschedule,
            (true, true) => Paused::Cancel,
        }
    }

    /// running → complete, and one more reference, for the caller: from here on the life reference
    /// may be given back by another thread, and the caller still has a waker to wake and a list to
    /// leave.
    ///
    /// Release pairs with the Acquire of [`is_complete`](Self::is_complete): the result. Acquire
    /// pairs with the Release of [`watch`](Self::watch): the join waker.
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

    // ---- the wakers' side ----

    /// idle → scheduled; running → running and scheduled. Keeps the caller's reference.
    ///
    /// Writes even where nothing changes. Release pairs with the Acquire of
    /// [`start_poll`](Self::start_poll): the coming poll sees the caller's writes before the wake.
    /// Acquire pairs with the Release of [`pause`](Self::pause): a caller that gets the runnable
    /// may use the queue link.
    pub(super) fn wake(&self) -> Woken {
        self.schedule_with(SCHEDULED)
    }

    /// Wakes the task, like [`wake`](Self::wake), and gives up the caller's reference in the same
    /// step.
    pub(super) fn wake_and_drop_reference(&self) -> Woken {
        let mut now = self.now(Relaxed);
        loop {
            debug_assert!(now.references() > 0, "a waker without a reference: {now:?}");
            let next = Snapshot((now.0 | SCHEDULED) - REFERENCE);
            // Orderings as in `wake`; giving back a reference needs AcqRel as well.
            match self.word.compare_exchange_weak(now.0, next.0, AcqRel, Relaxed) {
                Ok(_) if now.is_idle() => return Woken::Submit,
                Ok(_) if next.references() == 0 => return Woken::Free,
                Ok(_) => return Woken::Nothing,
                Err(actual) => now = Snapshot(actual),
            }
        }
    }

    /// Cancels at the next poll boundary: as a wake, and the runnable is to cancel with. Does
    /// nothing to a complete task.
    pub(super) fn abort(&self) -> Woken {
        self.schedule_with(SCHEDULED | CANCELLED)
    }

    fn schedule_with(&self, flags: usize) -> Woken {
        // After COMPLETE these flags mean nothing, so no thread has to be kept from setting them.
        let before = Snapshot(self.word.fetch_or(flags, AcqRel));
        debug_assert!(before.references() > 0, "a wake without a reference: {before:?}");
        if before.is_idle() { Woken::Submit } else { Woken::Nothing }
    }

    // ---- the life reference ----

    /// Cancels on behalf of the runtime's end. idle → running; else as [`abort`](Self::abort). The
    /// life reference passes to the task, unless it is complete.
    ///
    /// Acquire pairs with the Release of [`pause`](Self::pause): the machine that claims sees the
    /// future as the last poll left it.
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

    /// Leaves the life reference to the task.
    ///
    /// Release, as in [`drop_references`](Self::drop_references): the task gives this reference
    /// back, and its earlier uses come before that. Pairs with the Acquire of
    /// [`complete`](Self::complete).
    pub(super) fn let_go(&self) -> LetGo {
        let before = Snapshot(self.word.fetch_or(SELF_HELD, Release));
        if before.has(COMPLETE) { LetGo::Complete } else { LetGo::LeftToTask }
    }

    // ---- the join handle's side ----

    /// Acquire as in [`is_complete`](Self::is_complete).
    pub(super) fn joining(&self) -> Joining {
        let now = self.now(Acquire);
        if !now.has(COMPLETE | JOIN_WAKER) {
            return Joining::Unwatched;
        }
        if now.has(COMPLETE) { Joining::Complete } else { Joining::Watched }
    }

    /// Hands the filled slot of the join waker to the completing side.
    ///
    /// Release pairs with the Acquire of [`complete`](Self::complete): the waker in the slot.
    /// Acquire as in [`is_complete`](Self::is_complete).
    pub(super) fn watch(&self) -> JoinWatch {
        self.unless_complete(|now| {
            debug_assert!(now.has(JOIN_INTEREST) && !now.has(JOIN_WAKER), "watch twice: {now:?}");
            now.0 | JOIN_WAKER
        })
    }

    /// Takes the slot of the join waker back, to change its contents.
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

    /// Drops the join handle: the result will not be taken. In the common case its reference goes
    /// in the same step, which cannot be the last: an unfinished task has its life reference.
    ///
    /// Release as in [`drop_references`](Self::drop_references); Acquire as in
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

    /// Relaxed: a new reference comes from one that exists, and passing it on to a thread
    /// synchronizes.
    pub(super) fn add_reference(&self) {
        if self.word.fetch_add(REFERENCE, Relaxed) > MOST {
            abort_for_references();
        }
    }

    /// Release pairs with the Acquire of the thread that drops the last: all that was done with the
    /// other references comes before the cell is freed.
    ///
    /// The last are not counted down: the thread that has them all is alone with the word.
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

// The answers of the word's moves: the caller's gains, and its duties.

/// The duties of a wake or an abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Woken {
    /// The caller made the runnable, and has to hand it to the scheduler.
    Submit,
    /// Another thread has the runnable already, or the task is complete.
    Nothing,
    /// There is nothing to do, and the reference given up with the wake was the last: the cell has
    /// to be freed.
    Free,
}

/// The duty of a runnable's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Started {
    Poll,
    Cancel,
}

/// The step after a poll that returned pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Paused {
    /// Waits for a wake. The cell is no longer the caller's to touch.
    Idle,
    /// The task was woken during the poll: the caller holds a runnable again, for the back of the
    /// queue.
    Reschedule,
    /// The task was cancelled during the poll: the caller holds a runnable again, to cancel with.
    Cancel,
}

/// The duties of the completing side, besides the reference that it got for completing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) struct Completion {
    /// No handle will take the result: drop it.
    pub(crate) drop_result: bool,
    /// The waker in the slot is the caller's: take it out and wake it.
    pub(crate) wake_joiner: bool,
    /// The life reference was left to the task: give it back.
    pub(crate) self_held: bool,
}

/// The fate of a task that is shut down, and of the life reference used for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum ShutDown {
    /// It was idle: the caller has it, as if running, and drops the future.
    Claimed,
    /// The holder of the runnable will drop the future.
    LeftToRunnable,
    /// It was complete already: the reference is still the caller's to give back.
    Complete,
}

/// The fate of a life reference that is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum LetGo {
    /// Completion will give it back.
    LeftToTask,
    /// The task is complete: the reference is still the caller's to give back.
    Complete,
}

/// The state that the join handle finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Joining {
    /// The result is there, unless it was taken.
    Complete,
    /// Completion will wake the waker in the slot.
    Watched,
    /// The slot is empty, and the handle's.
    Unwatched,
}

/// Says whether the join handle came before completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum JoinWatch {
    InTime,
    Complete,
}

/// The duties of a dropped join handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Detached {
    /// Nothing: its reference is given back too.
    Done,
    /// The waker in the slot is its to drop; then its reference.
    OwesWaker,
    /// The result is its to drop, unless it was taken; then its reference.
    OwesResult,
}

/// Says whether the references that were given back were the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Dropped {
    Others,
    Last,
}

/// Where a task stands, for dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskPhase {
    /// It waits for its turn.
    Scheduled,
    /// A machine polls the future, or drops it.
    Running,
    /// It waits for a wake.
    Idle,
    /// The future is gone.
    Complete,
}

/// The view of a mere reference's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) phase: TaskPhase,
    /// The join waker's slot is filled, or was a moment ago.
    pub(crate) is_watched: bool,
    /// References that wake it, by a waker or by an abort handle.
    pub(crate) wakers: usize,
}
