//! A machine: an OS thread that runs tasks, but only while it holds a processor.

use std::sync::OnceLock;

use crate::scheduler::core::parker::Parker;
use crate::scheduler::core::processor::Processor;
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::unmodelled::AtomicU8;
use crate::util::sync::{Arc, Mutex};
use crate::util::thread_state::current_thread_number;

/// The part of a machine that others know: how to wake it, and where to leave a processor for it.
#[derive(Debug)]
pub(crate) struct Machine {
    parker: Parker,
    /// The processor it is to run next. Filled by the thread that chose this machine, just before
    /// the wake; the lock is held for a move only, and never contended.
    mailbox: Mutex<Option<Box<Processor>>>,
    /// True if its thread is in a hook of the user's, so that it begins its work at an unknown
    /// time.
    ///
    /// Relaxed: the mailbox's lock orders it. The thread that chooses the machine fills the mailbox
    /// before it looks here, the machine writes here before it looks into the mailbox.
    in_hook: AtomicBool,
    status: MachineStatus,
}

impl Machine {
    pub(crate) fn new() -> Arc<Self> {
        Self::make(None)
    }

    /// A machine that starts with a processor in hand.
    pub(crate) fn with_processor(processor: Box<Processor>) -> Arc<Self> {
        Self::make(Some(processor))
    }

    fn make(processor: Option<Box<Processor>>) -> Arc<Self> {
        let (parker, mailbox) = (Parker::new(), Mutex::new(processor));
        Arc::new(Self { parker, mailbox, in_hook: AtomicBool::new(false), status: MachineStatus::default() })
    }

    pub(crate) fn parker(&self) -> &Parker {
        &self.parker
    }

    pub(crate) fn status(&self) -> &MachineStatus {
        &self.status
    }

    /// Leaves a processor for the machine. The caller wakes it afterwards.
    pub(crate) fn deliver(&self, processor: Box<Processor>) {
        let occupied = self.mailbox.lock().replace(processor);
        assert!(occupied.is_none(), "a machine is chosen once for each time it went idle");
    }

    /// Takes out the processor that was left.
    pub(crate) fn collect(&self) -> Option<Box<Processor>> {
        self.mailbox.lock().take()
    }

    /// Returns whether a processor is in the mailbox.
    pub(crate) fn has_mail(&self) -> bool {
        self.mailbox.lock().is_some()
    }

    pub(crate) fn set_in_hook(&self, in_hook: bool) {
        self.in_hook.store(in_hook, Relaxed);
    }

    /// Returns whether the machine's thread, which is the caller, is in a hook.
    pub(crate) fn is_in_hook(&self) -> bool {
        self.in_hook.load(Relaxed)
    }

    /// Marks a processor that was left for a machine in a hook as one that does not search. `true`
    /// if it did: then the caller stops searching instead of it. To be called after `deliver`, and
    /// after `set_in_hook`.
    #[must_use]
    pub(crate) fn excuse_from_search(&self) -> bool {
        if !self.in_hook.load(Relaxed) {
            return false;
        }
        let mut mailbox = self.mailbox.lock();
        let searching = mailbox.as_mut().filter(|processor| processor.is_searching());
        searching.map(|processor| processor.set_searching(false)).is_some()
    }
}

// The status of a machine, for dumps and schedtrace: its number and thread, and its activity while
// it holds no processor.

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
