//! The charges of a simulated scheduler: the places that name a kind of work when they do it, so
//! that it takes virtual time. Without feature `sim` there is nothing of it.

use crate::scheduler::Scheduler;
use crate::scheduler::machine::Machine;
use crate::scheduler::machine_loop::MachineLoop;
use crate::scheduler::parker::Unparked;
use crate::scheduler::simulation::Simulation;

/// A kind of the scheduler's own work that takes time in a simulation with costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "sim", non_exhaustive)]
#[cfg_attr(not(feature = "sim"), allow(dead_code, unreachable_pub))]
pub enum Work {
    /// A round of a machine's loop, and a poll of a task.
    Poll,
    /// A poll on another processor than the one before.
    Migration,
    /// A thief passes an idle processor by.
    Skip,
    /// A thief looks at a busy processor.
    Visit,
    /// A thief moves tasks: each of them.
    StolenTask,
    /// A thief watches a task in the runnext of its victim.
    Watch,
    /// A look at a queue or the timers of one processor, when a machine goes to sleep or looks at
    /// the netpoller.
    Glance,
    /// A change of the word that counts the idle and the searchers.
    IdleWord,
    /// A use of the list of the idle, under its lock.
    IdleList,
    /// A machine on that list is compared with the one that is looked for.
    IdlePosition,
    /// A push into the injector.
    Inject,
    /// A look at the injector under its lock.
    TakeInjected,
    /// A task that was taken from the injector.
    InjectedTask,
    /// A look at the netpoller.
    Netpoll,
    /// An event that a look at the netpoller has found.
    Event,
    /// A call that wakes a thread.
    Wake,
    /// A call by which a thread goes to sleep.
    Sleep,
}

impl Scheduler {
    /// Has the virtual time of this turn pass for `count` units of `work`, in a simulation with
    /// costs.
    #[inline(always)]
    pub(crate) fn charge(&self, work: Work, count: usize) {
        if let Some(simulation) = &self.simulation {
            simulation.charge(work, count);
        }
    }

    /// Whether another simulated machine looks at the netpoller at this moment.
    #[inline(always)]
    pub(crate) fn is_netpoll_taken(&self) -> bool {
        self.simulation.as_ref().is_some_and(Simulation::is_netpoll_taken)
    }

    /// The earliest deadline of all timers, or `u64::MAX`. Looks at each processor.
    pub(crate) fn earliest_deadline(&self) -> u64 {
        self.charge(Work::Glance, self.processors.scan_len());
        self.processors.earliest_deadline()
    }

    /// A machine was woken.
    #[inline(always)]
    pub(crate) fn note_roused(&self, machine: &Machine, unparked: Unparked) {
        if let Some(simulation) = &self.simulation {
            simulation.note_roused(machine, unparked);
        }
    }
}

impl MachineLoop<'_> {
    /// Charges for a look at the list of the idle that compares this machine with those that came
    /// after it.
    pub(super) fn charge_for_position(&self) {
        if self.scheduler.simulation.is_some() {
            self.scheduler.charge(Work::IdleList, 1);
            self.scheduler.charge(Work::IdlePosition, self.scheduler.idle.count_compared(self.machine));
        }
    }
}
