//! The status of a machine, for dumps and schedtrace: its number and thread, and its activity while
//! it holds no processor.

use std::sync::OnceLock;

use crate::util::sync::unmodelled::AtomicU8;
use crate::util::sync::unmodelled::Ordering::Relaxed;
use crate::util::thread_state::current_thread_number;

/// Why a machine that is awake holds no processor. The numbers are those in the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum OffProcessor {
    /// It holds a processor, or is about to take one up or to sleep.
    No = 0,
    /// It helps in a parallel call of another thread.
    Helping = 1,
    /// It is in `block_in_place`, and has handed its processor over.
    HandedOver = 2,
    /// Its thread has left the runtime, and may come again.
    Away = 3,
}

/// Written by the machine's own thread with plain stores, read by any thread.
#[derive(Debug, Default)]
pub(crate) struct MachineStatus {
    name: OnceLock<Name>,
    off_processor: AtomicU8,
}

/// The numbers that stand for a machine in dumps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name {
    /// Its number in its runtime, from 0, given out once.
    pub(crate) number: u32,
    /// The OS's number for its thread; 0 where that is unknown.
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

    pub(crate) fn set_off_processor(&self, off_processor: OffProcessor) {
        self.off_processor.store(off_processor as u8, Relaxed);
    }

    pub(crate) fn off_processor(&self) -> OffProcessor {
        match self.off_processor.load(Relaxed) {
            1 => OffProcessor::Helping,
            2 => OffProcessor::HandedOver,
            3 => OffProcessor::Away,
            _ => OffProcessor::No,
        }
    }
}
