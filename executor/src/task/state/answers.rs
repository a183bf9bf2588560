//! The answers of the word's moves: the caller's gains, and its duties.

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
pub(crate) enum Phase {
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
    pub(crate) phase: Phase,
    /// The join waker's slot is filled, or was a moment ago.
    pub(crate) is_watched: bool,
    /// References that wake it, by a waker or by an abort handle.
    pub(crate) wakers: usize,
}
