//! What a machine leaves in sight of those who look on: who it is, and what it does while it holds
//! no processor.

// std's atomics on purpose: these are snapshots, and order nothing.
use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use crate::util::thread_state::current_thread_number;

/// Why a machine that is awake holds no processor. The numbers are those in the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Away {
    /// It does hold one, or is about to, or about to sleep.
    No = 0,
    /// It computes for others.
    Helping = 1,
    /// It blocks with a task in hand, and another machine has its processor.
    HandedOver = 2,
}

/// Written by the machine's own thread with plain stores, read by anybody.
#[derive(Debug, Default)]
pub(crate) struct MachineStatus {
    name: OnceLock<Name>,
    away: AtomicU8,
}

/// What a machine is known by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name {
    /// Its number in its runtime, from 0, given out once.
    pub(crate) number: u32,
    /// The system's number for its thread; 0 where that is not known.
    pub(crate) thread: u32,
}

impl MachineStatus {
    /// Names the machine of the current thread.
    pub(crate) fn introduce(&self, number: u32) {
        let _ = self.name.set(Name { number, thread: current_thread_number() });
    }

    /// `None` for a machine whose thread has not begun.
    pub(crate) fn name(&self) -> Option<Name> {
        self.name.get().copied()
    }

    pub(crate) fn set_away(&self, away: Away) {
        self.away.store(away as u8, Relaxed);
    }

    pub(crate) fn away(&self) -> Away {
        match self.away.load(Relaxed) {
            1 => Away::Helping,
            2 => Away::HandedOver,
            _ => Away::No,
        }
    }
}
