//! Costs: how long the scheduler's own work takes in a simulation that is there to measure it.

use crate::scheduler::charge::Work;

/// How long the scheduler's work takes, in nanoseconds of virtual time.
///
/// The defaults were measured on two cores of a virtual machine, and `docs/SCALE.md` says how. In a
/// computer with hundreds of cores [`line`](Self::line) is larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Costs {
    /// A round of a processor's loop that finds a task in its own queue, and a poll of it that does
    /// nothing.
    pub poll: u64,
    /// A look at a word that this core has in its cache.
    pub look: u64,
    /// An access to a cache line that another core has written last.
    pub line: u64,
    /// The loss of a task that runs on another core than before: some lines of its own.
    pub migration: u64,
    /// The system call that wakes a thread, for the thread that makes it.
    pub wake: u64,
    /// From that call to the moment at which the woken thread runs.
    pub wake_latency: u64,
    /// The system call by which a thread goes to sleep.
    pub sleep: u64,
    /// A look at the system's poller that finds nothing.
    pub netpoll: u64,
    /// Each event that such a look finds: the kernel's part, and the way to the waker.
    pub event: u64,
    /// How long a thief watches the last task of a busy processor before it takes it.
    pub watch: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            poll: 25,
            look: 2,
            line: 70,
            migration: 560,
            wake: 3_000,
            wake_latency: 20_000,
            sleep: 1_000,
            netpoll: 100,
            event: 100,
            watch: 5_000,
        }
    }
}

impl Costs {
    /// The time of one unit of `work`.
    pub(super) fn of(&self, work: Work) -> u64 {
        match work {
            Work::Poll => self.poll,
            Work::Migration => self.migration,
            Work::Skip | Work::Glance | Work::IdlePosition => self.look,
            Work::Visit | Work::IdleWord | Work::Inject | Work::InjectedTask => self.line,
            // Its slot, of eight in a line, and the line of the task.
            Work::StolenTask => self.line / 8 + self.look,
            Work::Watch => self.watch,
            // The lock and the list.
            Work::IdleList | Work::TakeInjected => 2 * self.line,
            Work::Netpoll => self.netpoll,
            Work::Event => self.event,
            Work::Wake => self.wake,
            Work::Sleep => self.sleep,
        }
    }
}
