//! A machine at work: the loop that looks for tasks and polls them, and its sleep.
//!
//! [`step`] is the body of the loop, and says what the machine does next: a thread obeys by
//! sleeping (here), a simulated machine by giving the turn to another one (`simulation/`).
//! [`sleep`] is its sleep, whose protocol is in `core/sleep.rs`.

use std::rc::Rc;
use std::sync::Arc;

use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::sleep::Listing;
use crate::scheduler::idle_work::Spinner;
use crate::scheduler::{Context, Scheduler};
use crate::util::backoff::Backoff;
use crate::util::spin_time::SpinTime;

mod background;
pub(crate) mod driver;
mod maintenance;
mod sleep;
pub(crate) mod start;
pub(crate) mod steal;
pub(crate) mod step;
mod vouch;

use self::driver::Driver;

/// Does the idle work of a runtime, if there is any, and returns whether the machine has to look
/// for tasks again.
///
/// The machine holds no processor and is on the idle list. If this returns `true` it is off the
/// list; if it returns `false` nothing has changed.
pub(crate) type RunIdleWork = fn(&mut MachineLoop<'_>) -> bool;

/// One machine at work.
pub(crate) struct MachineLoop<'a> {
    pub(crate) scheduler: &'a Arc<Scheduler>,
    pub(crate) context: &'a Context,
    /// `context`, for those that keep it.
    counted: &'a Rc<Context>,
    pub(crate) machine: &'a Arc<Machine>,
    pub(crate) driver: Driver<'a>,
    pub(crate) state: LoopState,
}

/// The part of a loop that is kept between two steps of a simulated machine. As it begins: the
/// machine is on no list.
#[derive(Default)]
pub(crate) struct LoopState {
    listing: Listing,
    /// True if the polls on the machine's last processor were very short.
    light: bool,
    /// True if the machine has slept so long that the runtime can do without it.
    surplus: bool,
    pub(crate) spinner: Spinner,
    spin_time: SpinTime,
    /// The backoff while the tasks in the injector are out of reach.
    gap: Backoff,
}

impl LoopState {
    /// The state of a machine that the runtime has started: the machine stands on the list of the
    /// idle, or was chosen from it, or has a processor in its mailbox and never was on the list.
    pub(crate) fn of_a_started_machine() -> Self {
        Self { listing: Listing { listed: true, ..Listing::default() }, ..Self::default() }
    }
}

impl<'a> MachineLoop<'a> {
    /// Creates a loop for the current thread, which has entered `context` with a machine.
    pub(crate) fn new(context: &'a Rc<Context>) -> Self {
        Self::with_state(context, LoopState::default())
    }

    /// Creates a loop for the current thread, which continues from `state`.
    pub(crate) fn with_state(context: &'a Rc<Context>, state: LoopState) -> Self {
        Self {
            scheduler: context.scheduler(),
            context,
            counted: context,
            machine: context.machine().expect("only a thread with a machine runs the loop"),
            driver: Driver::new(context),
            state,
        }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests;
