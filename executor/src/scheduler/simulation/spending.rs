//! Spending: the virtual time that a turn has taken so far where its work has costs, and the
//! places that only one processor uses at a time.

use super::{Costs, Simulation};
use crate::scheduler::charge::Work;

/// The kinds of work, by their numbers.
const KINDS: usize = Work::Sleep as usize + 1;

/// The time that one kind of work has taken in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spent {
    /// How often it was done.
    pub count: u64,
    /// How long it took, in nanoseconds, waits included.
    pub nanos: u64,
    /// How long it waited for another processor to be done with the same, in nanoseconds.
    pub waited: u64,
}

/// The state of a simulation with costs.
pub(super) struct Spending {
    costs: Costs,
    /// When the present turn began, and how long it has taken.
    now: u64,
    spent: u64,
    /// By kind of work.
    totals: [Spent; KINDS],
    /// By kind of work: the last use of its place, where only one processor at a time uses it.
    uses: [(u64, u64); KINDS],
    /// By the index of the processor: when the turn that it is in ends.
    busy_until: Vec<u64>,
    /// By the number of the task: the processor that has polled it last, and one.
    last_on: Vec<u32>,
}

impl Spending {
    pub(super) fn new(costs: Costs) -> Self {
        Self {
            costs,
            now: 0,
            spent: 0,
            totals: [Spent::default(); KINDS],
            uses: [(0, 0); KINDS],
            busy_until: Vec::new(),
            last_on: Vec::new(),
        }
    }

    pub(super) fn costs(&self) -> &Costs {
        &self.costs
    }

    pub(super) fn total(&self, work: Work) -> Spent {
        self.totals[work as usize]
    }

    /// A turn begins at the time `now`.
    pub(super) fn begin_turn(&mut self, now: u64) {
        (self.now, self.spent) = (now, 0);
    }

    /// How long the present turn has taken.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    fn charge(&mut self, work: Work, count: usize) {
        let takes = self.costs.of(work) * count as u64;
        let waited = if is_exclusive(work) { self.use_alone(work, takes) } else { 0 };
        self.spent += waited + takes;
        let total = &mut self.totals[work as usize];
        total.count += count as u64;
        total.nanos += waited + takes;
        total.waited += waited;
    }

    /// Uses a place for a time that only one processor uses at a time. Returns how long it waits
    /// for the one before. Those that come before that one has begun, since turns are taken as a
    /// whole, do not wait.
    fn use_alone(&mut self, work: Work, takes: u64) -> u64 {
        let at = self.now + self.spent;
        let (began, ends) = self.uses[place_of(work) as usize];
        if at + takes <= began {
            return 0;
        }
        let begins = at.max(ends);
        self.uses[place_of(work) as usize] = (begins, begins + takes);
        begins - at
    }

    /// The processor with this index polls a task with this number, which it has taken from another
    /// if it is foreign.
    pub(super) fn begin_poll(&mut self, processor: usize, task: u64, is_foreign: bool) {
        self.charge(Work::Poll, 1);
        let task = task as usize;
        if task >= self.last_on.len() {
            self.last_on.resize(task + 1, 0);
        }
        let before = std::mem::replace(&mut self.last_on[task], processor as u32 + 1);
        if if before == 0 { is_foreign } else { before != processor as u32 + 1 } {
            self.charge(Work::Migration, 1);
        }
    }

    pub(super) fn set_busy_until(&mut self, processor: usize, until: u64) {
        if processor >= self.busy_until.len() {
            self.busy_until.resize(processor + 1, 0);
        }
        self.busy_until[processor] = until;
    }

    /// A thief watches the task in a victim's runnext. Returns whether it stays there for longer
    /// than a hand-off takes.
    fn watch(&mut self, victim: usize) -> bool {
        let now = self.now + self.spent;
        let stays = self.busy_until.get(victim).map_or(0, |until| until.saturating_sub(now));
        let watched = stays.min(self.costs.watch);
        self.spent += watched;
        let total = &mut self.totals[Work::Watch as usize];
        total.count += 1;
        total.nanos += watched;
        stays >= self.costs.watch
    }
}

/// Whether one processor at a time does this kind of work.
fn is_exclusive(work: Work) -> bool {
    use Work::{IdleList, IdlePosition, IdleWord, Inject, InjectedTask, Netpoll, TakeInjected};
    matches!(work, IdleList | IdlePosition | IdleWord | Inject | InjectedTask | Netpoll | TakeInjected)
}

/// The kind of work that stands for the place that this one uses.
fn place_of(work: Work) -> Work {
    match work {
        Work::IdlePosition => Work::IdleList,
        Work::InjectedTask => Work::TakeInjected,
        work => work,
    }
}

impl Simulation {
    /// A turn begins.
    pub(super) fn begin_turn(&self, now: u64) {
        self.with_spending(|spending| spending.begin_turn(now));
    }

    /// Whether the present turn has done no work so far that has costs.
    pub(crate) fn is_turn_without_work(&self) -> bool {
        self.with_spending(|spending| spending.spent() == 0).unwrap_or(true)
    }

    /// A machine is about to poll a task, which it has just got from elsewhere if it is foreign.
    pub(crate) fn note_poll(&self, processor: usize, task: u64, is_foreign: bool) {
        let number = self.number_of(task);
        self.with_spending(|spending| spending.begin_poll(processor, number, is_foreign));
    }

    /// Has the turn last longer by `count` units of `work`, where work has costs.
    pub(crate) fn charge(&self, work: Work, count: usize) {
        self.with_spending(|spending| spending.charge(work, count));
    }

    /// Whether a task that was sighted in a victim's runnext stays there for longer than a hand-off
    /// takes. Where work has costs, that is how long the victim's turn still lasts. Otherwise the
    /// system may have taken the victim's core away at that moment, or not.
    pub(crate) fn is_victim_held_up(&self, victim: usize) -> bool {
        self.with_spending(|spending| spending.watch(victim))
            .unwrap_or_else(|| self.state.lock().dice.is_victim_held_up())
    }

    /// Whether another machine looks at the netpoller at this moment.
    pub(crate) fn is_netpoll_taken(&self) -> bool {
        let taken = |spending: &mut Spending| {
            let (began, ends) = spending.uses[Work::Netpoll as usize];
            (began..ends).contains(&(spending.now + spending.spent))
        };
        self.with_spending(taken).unwrap_or(false)
    }

    /// Whether thieves look at a few victims in each turn, so that others act meanwhile.
    pub(crate) fn has_costs(&self) -> bool {
        self.settings.costs.is_some()
    }

    pub(super) fn with_spending<R>(&self, f: impl FnOnce(&mut Spending) -> R) -> Option<R> {
        if !self.has_costs() {
            return None;
        }
        self.state.lock().spending.as_mut().map(f)
    }

    /// The time that a kind of work has taken so far; none where work has no costs.
    pub(crate) fn spent(&self, work: Work) -> Spent {
        self.with_spending(|spending| spending.total(work)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(now: u64, spending: &mut Spending, work: Work) -> u64 {
        spending.begin_turn(now);
        spending.charge(work, 1);
        spending.spent()
    }

    #[test]
    fn a_place_for_one_is_waited_for() {
        let mut spending = Spending::new(Costs { line: 70, ..Costs::default() });
        assert_eq!(at(1_000, &mut spending, Work::IdleWord), 70);
        assert_eq!(at(1_010, &mut spending, Work::IdleWord), 130);
        assert_eq!(at(1_010, &mut spending, Work::Visit), 70, "which is no such place");
        assert_eq!(at(2_000, &mut spending, Work::IdleWord), 70);
        assert_eq!(at(1_500, &mut spending, Work::IdleWord), 70, "the one that uses it has yet to begin");
        assert_eq!(spending.total(Work::IdleWord), Spent { count: 4, nanos: 340, waited: 60 });
    }

    #[test]
    fn the_list_and_a_position_in_it_share_a_place() {
        let mut spending = Spending::new(Costs { line: 70, look: 2, ..Costs::default() });
        assert_eq!(at(0, &mut spending, Work::IdleList), 140);
        assert_eq!(at(0, &mut spending, Work::IdlePosition), 142);
    }

    #[test]
    fn a_task_migrates_where_another_processor_polls_it() {
        let mut spending = Spending::new(Costs::default());
        for (processor, is_foreign) in [(3, false), (3, true), (4, false), (4, true)] {
            spending.begin_poll(processor, 7, is_foreign);
        }
        spending.begin_poll(4, 8, true);
        assert_eq!(spending.total(Work::Migration).count, 2);
    }

    #[test]
    fn thieves_watch_no_longer_than_their_victims_are_busy() {
        let mut spending = Spending::new(Costs { watch: 5_000, ..Costs::default() });
        spending.begin_turn(1_000);
        spending.set_busy_until(2, 4_000);
        assert!(!spending.watch(2) && !spending.watch(9));
        assert_eq!(spending.spent(), 3_000);
        spending.set_busy_until(2, 9_000);
        assert!(spending.watch(2));
        assert_eq!(spending.spent(), 8_000);
    }
}
