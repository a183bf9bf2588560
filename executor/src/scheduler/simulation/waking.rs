//! Waking: how a simulated machine that sleeps hears that it was woken, and when it runs.

use super::{Dice, Simulation};
use crate::scheduler::charge::Work;
use crate::scheduler::machine::Machine;
use crate::scheduler::parker::Unparked;

/// A machine that was woken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roused {
    /// Its address.
    pub(super) machine: usize,
    /// How long the turn that woke it had taken.
    pub(super) after: u64,
}

/// The address of a machine, which stands for it as long as it is there.
pub(super) fn address_of(machine: &Machine) -> usize {
    std::ptr::from_ref(machine) as usize
}

impl Simulation {
    /// A machine was woken: the stage is to look at it.
    pub(crate) fn note_roused(&self, machine: &Machine, unparked: Unparked) {
        if unparked == Unparked::Awake {
            return;
        }
        self.charge(Work::Wake, 1);
        let after = self.spent_in_turn();
        self.state.lock().roused.push(Roused { machine: address_of(machine), after });
    }

    pub(super) fn take_roused(&self) -> Vec<Roused> {
        std::mem::take(&mut self.state.lock().roused)
    }

    /// How long the present turn has taken so far, as far as that is decided by costs.
    pub(super) fn spent_in_turn(&self) -> u64 {
        self.with_spending(|spending| spending.spent()).unwrap_or(0)
    }

    /// How long a thread that was woken takes to run, and what decides between several.
    pub(super) fn time_of_waking(&self) -> (u64, u64) {
        let latency = self.with_spending(|spending| spending.costs().wake_latency);
        self.with_dice(|dice: &mut Dice| (latency.unwrap_or_else(|| dice.wake()), dice.tie()))
    }
}
