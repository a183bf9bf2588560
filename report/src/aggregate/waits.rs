//! Waits for locks and channels, grouped by the source location at which the lock or channel was
//! created.
//!
//! A wait lasts from the end of the poll that began it to the wake that ends it, which is the time
//! during which the lock was held or the channel was empty. The time from the wake to the next poll
//! is the scheduler's, and is counted elsewhere. If the trace contains no wake, the wait lasts
//! until the poll.

use std::collections::HashMap;
use std::hash::Hash;

use wsrt_trace::decode::{Annotations, NameId};
use wsrt_trace::{Awaited, WakeCause};

use super::durations::Durations;
use super::tasks::Tasks;

/// The maximum number of tasks whose waits are tracked at a time.
const MOST_TASKS: usize = 1 << 17;
/// The maximum number of creation sites of locks and channels. Each takes up 16 KiB of buckets.
const MOST_PLACES: usize = 512;
/// The maximum number of spawn sites that are distinguished for each side of a lock.
const MOST_SITES: usize = 64;

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ender {
    /// A task that was spawned at this location woke the waiting task, by releasing the lock or
    /// sending a value.
    Task(NameId),
    /// A cause other than a task, or a task about which the trace tells no more.
    Wake(WakeCause),
    /// An unknown cause: the task was cancelled, or the trace does not say.
    Unknown,
}

/// Counts occurrences of different values, for as many values as there is room for.
#[derive(Clone, Debug)]
struct Counts<T>(HashMap<T, u64>);

impl<T: Copy + Ord + Hash> Counts<T> {
    fn add(&mut self, one: T) {
        if self.0.len() < MOST_SITES || self.0.contains_key(&one) {
            *self.0.entry(one).or_default() += 1;
        }
    }

    /// Returns the most frequent value and its count. Of equally frequent values, the smallest is
    /// returned.
    fn most(&self) -> Option<(T, u64)> {
        let most = self.0.iter().min_by_key(|(one, count)| (u64::MAX - **count, **one));
        most.map(|(one, count)| (*one, *count))
    }
}

/// The waits for the locks or channels that were created at one location.
#[derive(Clone, Debug)]
pub(crate) struct Waited {
    pub(crate) times: Durations,
    /// The number of waits that lasted until the end of the trace.
    pub(crate) at_end: u64,
    waiters: Counts<NameId>,
    enders: Counts<Ender>,
}

impl Waited {
    fn new() -> Self {
        Self { times: Durations::new(), at_end: 0, waiters: Counts(HashMap::new()), enders: Counts(HashMap::new()) }
    }

    /// Returns the spawn site whose tasks waited most often, and the number of their waits.
    pub(crate) fn waiter(&self) -> Option<(NameId, u64)> {
        self.waiters.most()
    }

    /// Returns the cause that ended the most waits, and the number of those waits.
    pub(crate) fn ender(&self) -> Option<(Ender, u64)> {
        self.enders.most()
    }
}

/// The kind of a wait, and the location at which the lock or channel was created.
pub(crate) type Place = (Awaited, NameId);

/// All waits of a trace.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// For each waiting task, the start and the place of its wait.
    under_way: HashMap<u64, (u64, Place)>,
    known: HashMap<Place, Waited>,
    /// The number of waits for which there was no room.
    pub(crate) lost: u64,
}

impl Waits {
    /// Starts a wait at the end of a poll.
    pub(crate) fn begun(&mut self, annotations: &Annotations, at: u64) {
        let (Some(task), Some(awaited)) = (annotations.task, annotations.waits_for) else { return };
        if self.under_way.len() >= MOST_TASKS && !self.under_way.contains_key(&task) {
            self.lost += 1;
            return;
        }
        self.under_way.insert(task, (at, (awaited, annotations.made_at.unwrap_or(NameId::NONE))));
    }

    /// Ends the wait of a task whose next poll begins, at the time of the wake that led to the
    /// poll.
    pub(crate) fn polled(&mut self, task: u64, at: u64, annotations: &Annotations, tasks: &Tasks) {
        let waker = annotations.waker.and_then(|waker| tasks.spawned_at(waker));
        let ender = match (waker, annotations.woken_by) {
            (Some(site), _) => Ender::Task(site),
            (None, Some(cause)) => Ender::Wake(cause),
            (None, None) => Ender::Unknown,
        };
        self.end(task, at.saturating_sub(annotations.waited.unwrap_or(0)), ender, tasks);
    }

    /// Ends the wait of a task that was cancelled while it waited.
    pub(crate) fn ended(&mut self, task: Option<u64>, at: u64, tasks: &Tasks) {
        if let Some(task) = task {
            self.end(task, at, Ender::Unknown, tasks);
        }
    }

    /// Ends all waits that last longer than the trace.
    pub(crate) fn finish(&mut self, at: u64, tasks: &Tasks) {
        let mut left: Vec<_> = self.under_way.iter().map(|(task, (begun, place))| (*begun, *task, *place)).collect();
        // Not in the order of the map, so that a file makes the same page each time.
        left.sort_unstable();
        for (_, task, place) in left {
            self.end(task, at, Ender::Unknown, tasks);
            if let Some(waited) = self.known.get_mut(&place) {
                waited.at_end += 1;
            }
        }
    }

    /// Returns the locations with the longest total waits, in descending order. If `contended` is
    /// `true`, these are waits for locks and capacity that other tasks had taken. Otherwise, they
    /// are waits for something that had yet to happen.
    pub(crate) fn by_time(&self, contended: bool) -> Vec<(Place, &Waited)> {
        let wanted = self.known.iter().filter(|((awaited, _), _)| awaited.is_contended() == contended);
        let mut places: Vec<_> = wanted.map(|(place, waited)| (*place, waited)).collect();
        places.sort_unstable_by_key(|(place, waited)| (u128::MAX - waited.times.sum(), *place));
        places
    }

    fn end(&mut self, task: u64, at: u64, ender: Ender, tasks: &Tasks) {
        let Some((begun, place)) = self.under_way.remove(&task) else { return };
        if self.known.len() >= MOST_PLACES && !self.known.contains_key(&place) {
            self.lost += 1;
            return;
        }
        let waited = self.known.entry(place).or_insert_with(Waited::new);
        // A wake that comes before the poll's end waits for it.
        waited.times.add(at.saturating_sub(begun));
        waited.waiters.add(tasks.spawned_at(task).unwrap_or(NameId::NONE));
        waited.enders.add(ender);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(task: u64, awaited: Awaited) -> Annotations {
        Annotations { task: Some(task), waits_for: Some(awaited), ..Annotations::default() }
    }

    #[test]
    fn a_wait_lasts_until_its_wake_not_the_poll() {
        let (mut waits, tasks) = (Waits::default(), Tasks::default());
        let woken = |waited| Annotations { woken_by: Some(WakeCause::Timer), waited, ..Annotations::default() };
        waits.begun(&wait(1, Awaited::Mutex), 100);
        waits.polled(1, 500, &woken(Some(150)), &tasks);
        waits.begun(&wait(1, Awaited::Mutex), 600);
        waits.polled(1, 700, &woken(None), &tasks);
        // A poll of a task that waits for no lock ends nothing.
        waits.polled(1, 900, &woken(Some(1)), &tasks);
        let [((Awaited::Mutex, NameId::NONE), waited)] = waits.by_time(true)[..] else { panic!("{waits:?}") };
        assert_eq!((waited.times.count(), waited.times.sum(), waited.at_end), (2, 350, 0));
        assert_eq!(waited.ender(), Some((Ender::Wake(WakeCause::Timer), 2)));
        assert!(waits.by_time(false).is_empty());
    }

    #[test]
    fn a_wait_may_last_until_the_task_or_trace_ends() {
        let (mut waits, tasks) = (Waits::default(), Tasks::default());
        (1..=3).for_each(|task| waits.begun(&wait(task, Awaited::Notify), 100 * task));
        waits.ended(Some(1), 150, &tasks);
        waits.finish(1_000, &tasks);
        let [(_, waited)] = waits.by_time(false)[..] else { panic!("{waits:?}") };
        assert_eq!((waited.times.count(), waited.times.sum(), waited.at_end), (3, 50 + 800 + 700, 2));
        assert_eq!(waited.ender(), Some((Ender::Unknown, 3)));
    }

    #[test]
    fn there_is_room_for_so_many_and_no_more() {
        let (mut waits, tasks) = (Waits::default(), Tasks::default());
        (0..MOST_TASKS as u64 + 5).for_each(|task| waits.begun(&wait(task, Awaited::Semaphore), task));
        assert_eq!((waits.under_way.len(), waits.lost), (MOST_TASKS, 5));
        waits.finish(0, &tasks);
        assert!(waits.under_way.is_empty());
    }
}
