//! Costs: how long the scheduler's own work takes in a simulation that is there to measure it.
//!
//! The scheduler has no line for it. After each turn the ordinary counters say what has happened in
//! the turn, and the turn then lasts for as long as all of that costs.

use crate::scheduler::core::found::FoundIn;
use crate::scheduler::core::processor::Shared;
use crate::scheduler::core::processors::Processors;

/// How long the scheduler's work takes, in nanoseconds of virtual time.
///
/// The defaults were measured on two cores of a virtual machine, and `docs/SCALE.md` says how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Costs {
    /// A round of a processor's loop that finds a task, and a poll of the task that does nothing.
    pub poll: u64,
    /// A steal: some ten cache lines that another core has written, including the ring's and the
    /// task that runs next.
    pub steal: u64,
    /// The system call that wakes a thread, for the thread that makes the call.
    pub wake: u64,
    /// From that call to the moment at which the woken thread runs.
    pub wake_latency: u64,
    /// A look at the system's poller that finds nothing.
    pub netpoll: u64,
    /// Each event that such a look finds: the kernel's part, and the way to the waker.
    pub event: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Self { poll: 25, steal: 700, wake: 3_000, wake_latency: 20_000, netpoll: 100, event: 100 }
    }
}

/// The costs of a run, and everything that was paid for.
pub(super) struct Accounts {
    pub(super) costs: Costs,
    /// The costs, by processor.
    paid: Vec<StepCounts>,
    /// Events that were found without a processor.
    paid_elsewhere: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct StepCounts {
    polls: u64,
    steals: u64,
    netpolls: u64,
    events: u64,
}

impl StepCounts {
    fn of(processor: &Shared) -> Self {
        let counters = processor.counters();
        Self {
            polls: counters.polls(),
            steals: counters.polls_by_kind()[FoundIn::stolen_from(0).kind()],
            netpolls: counters.netpolls.get(),
            events: counters.arrivals.events.get(),
        }
    }
}

impl Accounts {
    pub(super) fn new(costs: Costs) -> Self {
        Self { costs, paid: Vec::new(), paid_elsewhere: 0 }
    }

    /// Returns how long a turn lasts, which had the processor `index` and has woken so many
    /// machines. `elsewhere` counts the events that were ever found without a processor.
    pub(super) fn pay(&mut self, processors: &Processors, index: Option<usize>, elsewhere: u64, woken: usize) -> u64 {
        let Costs { poll, steal, wake, netpoll, event, wake_latency: _ } = self.costs;
        let found = elsewhere - std::mem::replace(&mut self.paid_elsewhere, elsewhere);
        let mut price = found * event + woken as u64 * wake;
        if let Some(index) = index {
            if index >= self.paid.len() {
                self.paid.resize(index + 1, StepCounts::default());
            }
            let now = StepCounts::of(processors.get(index));
            let paid = std::mem::replace(&mut self.paid[index], now);
            price += (now.polls - paid.polls) * poll
                + (now.steals - paid.steals) * steal
                + (now.netpolls - paid.netpolls) * netpoll
                + (now.events - paid.events) * event;
        }
        price
    }
}
