//! A machine: an OS thread that runs tasks, but only while it holds a processor.

use crate::scheduler::core::machine_status::MachineStatus;
use crate::scheduler::core::parker::Parker;
use crate::scheduler::core::processor::Processor;
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::{Arc, Mutex};

/// The part of a machine that others know: how to wake it, and where to leave a processor for it.
#[derive(Debug)]
pub(crate) struct Machine {
    parker: Parker,
    /// The processor it is to run next. Filled by the thread that chose this machine, just before
    /// the wake; the lock is held for a move only, and never contended.
    mailbox: Mutex<Option<Box<Processor>>>,
    /// Whether its thread is in a hook of the user's, so that it begins its work at an unknown
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

    /// Whether a processor was left that it has not taken out.
    pub(crate) fn has_mail(&self) -> bool {
        self.mailbox.lock().is_some()
    }

    pub(crate) fn set_in_hook(&self, in_hook: bool) {
        self.in_hook.store(in_hook, Relaxed);
    }

    /// Whether its own thread, which asks, is in a hook.
    pub(crate) fn is_in_hook(&self) -> bool {
        self.in_hook.load(Relaxed)
    }

    /// Marks a processor that was left for a machine in a hook as one that does not search. `true`
    /// if it did: then the caller stops searching in its stead. To be called after `deliver`, and
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
