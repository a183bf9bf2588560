//! The switches that tell which kinds of observation are on: one word, which every poll, spawn,
//! wake and end of a task reads.

// std's atomics on purpose: a thread that is late to see a switch shows a poll more or less, which
// is no part of any protocol.
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

/// One kind of observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Switch {
    /// Events for the timeline.
    Timeline = 1 << 0,
    /// Statistics on each task, for dumps.
    Tasks = 1 << 1,
    /// Histograms of the time that tasks wait to run, and of the time that they run.
    Latency = 1 << 2,
    /// The user's hooks.
    Hooks = 1 << 3,
}

/// The set of switches that are on. Relaxed: each kind's data is published by its own lock.
#[derive(Debug, Default)]
pub(crate) struct Switches(AtomicU8);

impl Switches {
    /// Returns whether any switch is on, the only question that the fast paths ask.
    #[inline]
    pub(crate) fn is_any_on(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    pub(crate) fn is_on(&self, switch: Switch) -> bool {
        self.0.load(Relaxed) & switch as u8 != 0
    }

    pub(crate) fn turn_on(&self, switch: Switch) {
        self.0.fetch_or(switch as u8, Relaxed);
    }

    pub(crate) fn turn_off(&self, switch: Switch) {
        self.0.fetch_and(!(switch as u8), Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_switch_is_turned_by_itself() {
        let switches = Switches::default();
        assert!(!switches.is_any_on());
        switches.turn_on(Switch::Timeline);
        switches.turn_on(Switch::Latency);
        assert!(switches.is_on(Switch::Timeline) && switches.is_on(Switch::Latency));
        assert!(!switches.is_on(Switch::Tasks));
        switches.turn_off(Switch::Timeline);
        assert!(switches.is_any_on() && !switches.is_on(Switch::Timeline));
        switches.turn_off(Switch::Latency);
        assert!(!switches.is_any_on());
    }
}
