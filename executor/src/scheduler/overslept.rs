//! Whether a machine sleeps beside work that it was to be woken for: the one thing that the
//! sleeping protocol (`docs/SLEEPING.md`) rules out.
//!
//! sysmon asks when it is about to mend something. A task that waits behind a poll that takes long
//! is its business, and explained by the poll; this is not.

use crate::scheduler::Scheduler;
use crate::scheduler::core::machine::Machine;
use crate::util::sync::Arc;

/// The work beside which a machine sleeps. If two looks find one and the same, it has not moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overslept {
    /// The machine at this address has a processor in its mailbox.
    Processor(usize),
    /// A task is the oldest of a queue, while a processor is idle: the injector after so many
    /// tasks, or the ring of a processor at this position.
    Injected(usize),
    InRing(usize, u32),
}

impl Scheduler {
    /// Returns what a machine sleeps beside, while none is on its way: no machine searches, nor
    /// ends its search with a look for more, and all that are listed are asleep.
    ///
    /// Read word by word while the others continue: so that both ends of the look have to agree. It
    /// may still find a thread that has made a task ready, or has filled a mailbox, and is a few
    /// instructions short of the wake.
    pub(crate) fn overslept(&self) -> Option<Overslept> {
        if self.a_machine_searches() {
            return None;
        }
        let beside = self.processor_in_the_mail().or_else(|| self.oldest_task_beside_the_idle())?;
        let again = self.processor_in_the_mail().or_else(|| self.oldest_task_beside_the_idle());
        (again == Some(beside) && !self.a_machine_searches()).then_some(beside)
    }

    fn a_machine_searches(&self) -> bool {
        let mut processors = self.processors.iter();
        self.idle.count_searching() > 0 || processors.any(|processor| processor.watch().state().searching)
    }

    fn processor_in_the_mail(&self) -> Option<Overslept> {
        let machines = self.threads.machines();
        let machine = machines.iter().find(|machine| machine.sleeps_on_a_processor())?;
        Some(Overslept::Processor(Arc::as_ptr(machine).addr()))
    }

    fn oldest_task_beside_the_idle(&self) -> Option<Overslept> {
        let oldest = self.oldest_task()?;
        (self.idle.count_idle() > 0 && self.idle.are_all_asleep()).then_some(oldest)
    }

    fn oldest_task(&self) -> Option<Overslept> {
        if !self.injector.is_empty() {
            return Some(Overslept::Injected(self.injector.taken()));
        }
        let mut rings = self.processors.iter().map(|processor| processor.ring().oldest()).enumerate();
        rings.find_map(|(index, oldest)| Some(Overslept::InRing(index, oldest?)))
    }
}

impl Machine {
    /// Returns whether it sleeps, and no wake is pending, with a processor in its mailbox.
    fn sleeps_on_a_processor(&self) -> bool {
        self.has_mail() && self.parker().is_asleep()
    }
}
