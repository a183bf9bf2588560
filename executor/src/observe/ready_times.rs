//! Ready times: when sampled tasks that wait to be run were woken. The times are kept in a table,
//! so that tasks without a sample, and all tasks while sampling is off, need no space for one.
//!
//! A task's ID selects one entry of the table. The waker stores the time there if the entry is
//! free, and the machine that polls the task takes the time out. An occupied entry is not
//! overwritten: otherwise the tasks that wait longest would be lost most often. But a time whose
//! task is never polled where times are taken out would occupy its entry forever, and is therefore
//! given up after a minute, or as soon as the task itself is woken again, since the task then waits
//! for a new poll.

use crate::util::sync::STAMPS;
use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The age in nanoseconds at which a time is given up when its entry is needed.
const STALE: u64 = 60_000_000_000;

/// The value of a free entry.
const FREE: u64 = 0;
/// The value while a waker fills the entry. No task has this ID.
const BEING_FILLED: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) struct ReadyTimes(Box<[ReadyTime]>);

/// One entry. `task` moves from `FREE`, the same task's ID or a stale ID → `BEING_FILLED` → an ID,
/// by the waker; and from an ID → `FREE`, by the machine that polls.
#[derive(Debug)]
struct ReadyTime {
    task: AtomicU64,
    /// The time at which the task was woken, written by the waker that fills the entry.
    at: AtomicU64,
}

impl ReadyTimes {
    pub(crate) fn new() -> Self {
        Self((0..STAMPS).map(|_| ReadyTime { task: AtomicU64::new(FREE), at: AtomicU64::new(0) }).collect())
    }

    /// Stores the wake time of the task `task`, before other threads can find the task.
    pub(crate) fn put(&self, task: u64, now: u64) {
        let place = self.place_of(task);
        if let Some(found) = place.find_free(task, now) {
            place.fill(found, task, now);
        }
    }

    /// Returns the wake time of the task `task`, if known. The caller is about to poll the task.
    pub(crate) fn take(&self, task: u64) -> Option<u64> {
        self.place_of(task).empty(task)
    }

    fn place_of(&self, task: u64) -> &ReadyTime {
        &self.0[task as usize % self.0.len()]
    }
}

impl ReadyTime {
    /// Returns the entry's value if the entry may be filled for `task`.
    fn find_free(&self, task: u64, now: u64) -> Option<u64> {
        let found = self.task.load(Relaxed);
        let is_own = found == FREE || found == task;
        // A time that no longer, or not yet, belongs to the task found does no harm: filling starts
        // from the value found.
        let is_stale = || found != BEING_FILLED && now.saturating_sub(self.at.load(Relaxed)) > STALE;
        (is_own || is_stale()).then_some(found)
    }

    fn fill(&self, found: u64, task: u64, now: u64) {
        // Acquire pairs with the Release in `empty`: the machine that emptied the place has read
        // the time that was there.
        if self.task.compare_exchange(found, BEING_FILLED, Acquire, Relaxed).is_ok() {
            self.at.store(now, Relaxed);
            // Release pairs with the Acquire in `empty`: the time goes with the id.
            self.task.store(task, Release);
        }
    }

    #[must_use]
    fn empty(&self, task: u64) -> Option<u64> {
        // Acquire pairs with the Release in `fill`.
        if self.task.load(Acquire) != task {
            return None;
        }
        let at = self.at.load(Relaxed);
        // Release pairs with the Acquire in `fill`. If it fails the time was given up, and the
        // time may be another's.
        self.task.compare_exchange(task, FREE, Release, Relaxed).is_ok().then_some(at)
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_ready_time_is_taken_once_by_its_own_task() {
        let ready_times = ReadyTimes::new();
        ready_times.put(7, 100);
        assert_eq!(ready_times.take(7 + STAMPS as u64), None);
        assert_eq!((ready_times.take(7), ready_times.take(7)), (Some(100), None));
    }

    #[test]
    fn a_taken_place_is_kept_until_it_is_stale() {
        let ready_times = ReadyTimes::new();
        let (first, other) = (7, 7 + STAMPS as u64);
        ready_times.put(first, 100);
        ready_times.put(other, 100 + STALE);
        assert_eq!(ready_times.take(other), None);
        ready_times.put(other, 101 + STALE);
        assert_eq!((ready_times.take(first), ready_times.take(other)), (None, Some(101 + STALE)));
    }

    #[test]
    fn a_task_that_is_readied_again_waits_from_then_on() {
        let ready_times = ReadyTimes::new();
        ready_times.put(7, 100);
        // It was polled by a processor that had yet to hear that times are wanted.
        ready_times.put(7, 5_000);
        assert_eq!(ready_times.take(7), Some(5_000));
    }

    /// Many threads ready and poll tasks that share few places: no time is another task's.
    #[test]
    fn under_stress_each_ready_time_is_its_tasks_own() {
        let ready_times = ReadyTimes::new();
        let found = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (ready_times, found) = (&ready_times, &found);
                scope.spawn(move || {
                    for round in 1..50_000 {
                        // A time for each task, far enough apart to be stale for the next, so that
                        // places are taken over too.
                        let task = (round * 4 + thread) * STAMPS as u64;
                        let time = task * STALE;
                        ready_times.put(task, time);
                        let taken = ready_times.take(task);
                        assert!(taken.is_none_or(|taken| taken == time), "{task}: {taken:?}");
                        found.fetch_add(u64::from(taken.is_some()), Relaxed);
                    }
                });
            }
        });
        assert!(found.load(Relaxed) > 0);
    }
}

/// The machine that polls a task finds that task's time or none, whichever other task wants the
/// entry.
#[cfg(all(test, wsrt_loom))]
mod loom_models {
    use super::ReadyTimes;
    use crate::scheduler::core::loom_models::explore;
    use crate::util::sync::{Arc, thread};

    const OLD: u64 = 1;
    /// Late enough for the first time to be stale.
    const LATER: u64 = OLD + 120_000_000_000;

    #[test]
    fn a_polled_task_finds_its_own_ready_time_or_none() {
        explore(4, || {
            let ready_times = Arc::new(ReadyTimes::new());
            ready_times.put(1, OLD);
            let other = {
                let ready_times = Arc::clone(&ready_times);
                thread::spawn(move || {
                    ready_times.put(2, LATER);
                    ready_times.take(2)
                })
            };
            let first = ready_times.take(1);
            assert!(matches!(first, None | Some(OLD)), "{first:?}");
            let second = other.join().expect("it ends in good order");
            assert!(matches!(second, None | Some(LATER)), "{second:?}");
            // The entry is free again, whichever task had it.
            ready_times.put(3, LATER);
            assert_eq!(ready_times.take(3), Some(LATER));
        });
    }

    #[test]
    fn two_tasks_at_one_place_do_not_mix_their_times() {
        explore(4, || {
            let ready_times = Arc::new(ReadyTimes::new());
            let threads = [1, 2].map(|task| {
                let ready_times = Arc::clone(&ready_times);
                thread::spawn(move || {
                    ready_times.put(task, task * 10);
                    ready_times.take(task).is_none_or(|time| time == task * 10)
                })
            });
            for thread in threads {
                assert!(thread.join().expect("it ends in good order"), "another task's time");
            }
        });
    }
}
