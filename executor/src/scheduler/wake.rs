//! Waking: a machine is chosen for work that was published, and gets up wherever it sleeps.

use crate::scheduler::Scheduler;
use crate::scheduler::core::idle::Chosen;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;
use crate::scheduler::core::poll_owner::Watch;
use crate::scheduler::worker::start::start_machine_with;

impl Scheduler {
    /// The submitting side of the sleeping protocol: to be called after work was published. Wakes
    /// one machine, as a searcher, if a processor is idle and no machine searches.
    pub(crate) fn wake_one(&self) {
        if let Some(chosen) = self.idle.submit() {
            self.put_to_work(chosen);
        }
    }

    /// Wakes up to `count` machines at once, for a batch of tasks.
    pub(crate) fn wake_several(&self, count: usize) {
        for _ in 0..count {
            match self.idle.wake_another() {
                Some(chosen) => self.put_to_work(chosen),
                None => return,
            }
        }
    }

    pub(crate) fn put_to_work(&self, Chosen { processor, machine }: Chosen) {
        match machine {
            Some(machine) => {
                machine.deliver(processor);
                self.excuse_from_search(&machine);
                self.rouse(&machine);
            }
            None => start_machine_with(self, processor),
        }
    }

    /// Sends another to search instead of a machine that was chosen while it is in a hook of the
    /// user's. It keeps the processor: the watcher sees that as it sees a long poll.
    pub(crate) fn excuse_from_search(&self, machine: &Machine) {
        if machine.excuse_from_search() && self.idle.stop_searching() && self.work_is_visible() {
            self.wake_one();
        }
    }

    /// Wakes a machine wherever it sleeps.
    pub(crate) fn rouse(&self, machine: &Machine) {
        let unparked = machine.parker().unpark();
        if let Some(simulation) = &self.simulation {
            simulation.note_roused(machine, unparked);
        }
        if unparked == Unparked::InNetpoller {
            self.interrupt_netpoller();
        }
    }

    /// Ends the poll owner's sleep, or the next one's.
    pub(crate) fn interrupt_netpoller(&self) {
        match &self.simulation {
            Some(simulation) => simulation.interrupt(),
            None => self.netpoller.interrupt(),
        }
    }

    /// Sees to it that a timer for `deadline`, in a queue that no running machine looks at, fires
    /// in time.
    pub(crate) fn watch_deadline(&self, deadline: u64) {
        match self.poll_owner.watch(deadline) {
            Watch::InTime => {}
            Watch::TooLate => self.interrupt_netpoller(),
            // The woken machine finds nothing to do and becomes the poll owner, with the right
            // deadline.
            Watch::Unattended => self.wake_one(),
        }
    }
}
