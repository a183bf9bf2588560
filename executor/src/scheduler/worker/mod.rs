//! A machine at work: the loop that looks for tasks and polls them, and its sleep.
//!
//! [`step`] is the body of the loop, and says what the machine does next: a thread obeys by
//! sleeping (here), a simulated machine by giving the turn to another one (`simulation/`).
//! [`sleep`] has the sleeping protocol from the retiring machine's side, as one text.

use std::sync::Arc;

use wsrt_reactor::budget;

use crate::scheduler::context::Innermost;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::idle_work::Spinner;
use crate::scheduler::root::Root;
use crate::scheduler::spin_time::SpinTime;
use crate::scheduler::{Context, Scheduler};
use crate::util::backoff::Backoff;

pub(crate) mod driver;
mod errand;
mod maintenance;
mod sleep;
mod stalled;
mod steal;
mod step;
pub(crate) mod threads;

use self::driver::{Driver, WakeBatch};
use self::stalled::Suspect;
pub(crate) use self::steal::stays_in_runnext;
#[cfg(feature = "sim")]
pub(crate) use self::step::Step;
#[cfg(not(feature = "sim"))]
use self::step::Step;

/// One machine at work.
pub(crate) struct MachineLoop<'a> {
    pub(crate) scheduler: &'a Arc<Scheduler>,
    pub(crate) context: &'a Context,
    innermost: Innermost,
    pub(crate) machine: &'a Arc<Machine>,
    pub(crate) driver: Driver<'a>,
    pub(crate) state: LoopState,
}

/// The part of a loop that is kept between two steps of a simulated machine.
pub(crate) struct LoopState {
    /// Whether the machine stands on the list of the idle, or was chosen from the list and has yet
    /// to collect its processor.
    listed: bool,
    /// Whether the polls on the machine's last processor took next to no time.
    light: bool,
    /// Whether the machine has slept so long that the runtime can do without the machine.
    surplus: bool,
    pub(crate) spinner: Spinner,
    spin_time: SpinTime,
    /// The processor that the machine gave up last, and how many polls that had counted.
    retired: (usize, u64),
    /// The backoff while the injector holds only tasks behind a push under way.
    gap: Backoff,
    suspect: Suspect,
}

impl LoopState {
    /// The state of a machine that is on no list.
    fn new() -> Self {
        Self {
            listed: false,
            light: false,
            surplus: false,
            spinner: Spinner::new(),
            spin_time: SpinTime::default(),
            retired: (0, 0),
            gap: Backoff::new(),
            suspect: Suspect::default(),
        }
    }

    /// The state of a machine that the runtime has started: the machine stands on the list of the
    /// idle, or was chosen from it, or has a processor in its mailbox and never was on the list.
    pub(crate) fn of_a_started_machine() -> Self {
        Self { listed: true, ..Self::new() }
    }
}

impl<'a> MachineLoop<'a> {
    /// Creates a loop for the current thread, which has entered `context` with a machine.
    pub(crate) fn new(context: &'a Context) -> Self {
        Self::with_state(context, LoopState::new())
    }

    /// Creates a loop for the current thread, which goes on from `state`.
    pub(crate) fn with_state(context: &'a Context, state: LoopState) -> Self {
        Self {
            scheduler: context.scheduler(),
            context,
            innermost: Innermost::of_this_thread(),
            machine: context.machine().expect("only a thread with a machine runs the loop"),
            driver: Driver::new(context),
            state,
        }
    }

    /// Runs until the runtime shuts down, the root future is done, or the machine is surplus.
    pub(crate) fn run(&mut self, root: &impl Root) {
        let _outer_budget = budget::keep();
        loop {
            match self.step(root) {
                Step::Turn { .. } | Step::Again => {}
                Step::Park => {
                    let timed_out = self.park();
                    self.get_up(root, WakeBatch::default(), timed_out);
                }
                Step::BlockInNetpoller { until } => {
                    self.block_in_netpoller(until);
                    self.leave_netpoller(root);
                }
                Step::Exit => return,
            }
        }
    }

    /// Parks the thread. Returns whether the keep-alive time ran out.
    fn park(&self) -> bool {
        let _parked = self.scheduler.observer.parked();
        self.scheduler.threads.park(self.machine, self.scheduler)
    }

    fn block_in_netpoller(&mut self, until: u64) {
        let _sleeping = self.scheduler.observer.in_netpoller();
        self.driver.block(until);
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
