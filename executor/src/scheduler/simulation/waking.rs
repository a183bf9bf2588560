//! Waking: how a simulated machine that sleeps hears that it was woken, and when it runs.

use super::{Dice, Simulation};
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;

/// Returns the address of a machine, which stands for the machine as long as it is there.
pub(super) fn address_of(machine: &Machine) -> usize {
    std::ptr::from_ref(machine) as usize
}

impl Simulation {
    /// A machine was woken: the stage is to look at it.
    pub(crate) fn note_roused(&self, machine: &Machine, unparked: Unparked) {
        if unparked != Unparked::Awake {
            self.state.lock().roused.push(address_of(machine));
        }
    }

    pub(super) fn take_roused(&self) -> Vec<usize> {
        std::mem::take(&mut self.state.lock().roused)
    }

    /// Returns when a thread runs that was woken at the time `now`, and its tie-breaker.
    pub(super) fn time_of_waking(&self, now: u64) -> (u64, u64) {
        let latency = self.state.lock().accounts.as_ref().map(|accounts| accounts.costs.wake_latency);
        self.with_dice(|dice: &mut Dice| (now + latency.unwrap_or_else(|| dice.wake()), dice.tie()))
    }
}
