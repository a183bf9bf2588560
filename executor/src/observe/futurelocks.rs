//! Reports the futurelock that a `timeout` has ended.
//!
//! A timeout wakes its task, so the count of wakers proves nothing here. The requests do: each has
//! the last poll that polled it, and one that waits has the first poll that found the lock, or all
//! permits of the semaphore, handed to another future of the same task. If that poll is over and
//! has not polled the other future, the task does without it. A wait that begins in the same poll
//! that has polled the other future, behind a lock that was handed to it by then, is not told from
//! two futures that are polled in turn.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::panic::Location;
use std::sync::LazyLock;

use wsrt_sync::current_task::LockOwner;
use wsrt_sync::wait::{TaskWait, WaitKind, noted};
use wsrt_sync::waited_locks::locks_with;
use wsrt_trace::place::ShortLocation;

use crate::observe::deadlocks::MOST_LOCKS;
use crate::util::sync::Mutex;

/// Returns the words for a lock of this kind, made at `place`, and the task, or the future in
/// `block_on`, that keeps it from others.
pub(crate) fn described(kind: WaitKind, place: &'static Location<'static>, task: Option<impl Display>) -> String {
    let (all, was) = match kind {
        WaitKind::Semaphore => ("all permits of ", "were"),
        WaitKind::MpscSend | WaitKind::MpmcSend => ("all ", "was"),
        _ => ("", "was"),
    };
    let (lock, place) = (kind.awaited(), ShortLocation(place));
    let task = task.map_or_else(|| "`block_on`".to_owned(), |task| format!("task {task}"));
    format!(
        "{all}{lock} made at {place} {was} handed to a future that {task} keeps and no longer polls. Drop that future before \
         the task waits for anything else, or poll it during the wait (`join!`), or spawn it as a task; see FUTURELOCK.md in \
         the guide"
    )
}

/// Called when a `timeout` has elapsed whose future was polled just before. Returns a report if it
/// has ended a futurelock whose lock was in no earlier one.
#[cold]
pub(crate) fn ended_by_timeout() -> Option<String> {
    // SAFETY: the word comes from `noted`, which returns packed waits.
    let wait = unsafe { TaskWait::unpack(noted()) }?;
    let is_for_lock = matches!(
        wait.kind,
        WaitKind::Mutex
            | WaitKind::RwLockRead
            | WaitKind::RwLockWrite
            | WaitKind::Semaphore
            | WaitKind::MpscSend
            | WaitKind::MpmcSend
            | WaitKind::OnceCell
    );
    if !is_for_lock || is_one_of_many() {
        return None;
    }
    let task = LockOwner::current();
    let locks = locks_with(MOST_LOCKS, |_, _| false).unwrap_or_default();
    let is_futurelock = locks.iter().any(|lock| {
        let mut waiters = lock.waiters().iter();
        lock.place() == wait.place
            && lock.promised_to() == Some(task)
            && waiters.any(|waiter| waiter.owner == task && waiter.is_behind_unpolled)
    });
    if !is_futurelock || !is_new(wait.place) {
        return None;
    }
    let described = described(wait.kind, wait.place, task.task());
    Some(format!("a futurelock that a `timeout` has ended: {described} (reported once for this lock)"))
}

/// The timeouts that have elapsed in waits for locks, and the locks that were reported.
#[derive(Debug, Default)]
struct ElapsedInLocks {
    count: u64,
    reported: BTreeSet<&'static Location<'static>>,
}

static ELAPSED: LazyLock<Mutex<ElapsedInLocks>> = LazyLock::new(Mutex::default);

/// Returns whether so many such timeouts have elapsed that this one is not looked at: a server with
/// a contended lock may have thousands each second.
fn is_one_of_many() -> bool {
    let mut elapsed = ELAPSED.lock();
    elapsed.count += 1;
    elapsed.count > 64 && elapsed.count % 64 != 0
}

fn is_new(place: &'static Location<'static>) -> bool {
    ELAPSED.lock().reported.insert(place)
}
