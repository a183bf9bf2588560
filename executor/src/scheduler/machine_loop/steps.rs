//! The steps of a simulated machine's turn: a look, the search for a victim, a poll. Where the
//! scheduler's work has costs each is a turn of its own, so that others act meanwhile.

use std::task::Waker;

use super::MachineLoop;
use crate::scheduler::charge::Work;
use crate::scheduler::driver::WakeBatch;
use crate::scheduler::found::{Found, FoundIn};
use crate::scheduler::processor::Processor;
use crate::scheduler::root::NoRoot;
use crate::scheduler::simulation::Simulation;
use crate::scheduler::steal::{PASSES, VictimOrder};
use crate::util::unwind::wake_quietly;

/// How many victims a thief looks at in one turn.
const VICTIMS_IN_A_TURN: usize = 16;

/// A machine's next step, for which it has its processor.
#[derive(Default)]
pub(in crate::scheduler) enum Pending {
    #[default]
    Look,
    /// A pass, of this number, over victims.
    Search(VictimOrder, usize),
    Poll(Found),
    /// To go on with tasks that have computed until then.
    Resume(Vec<Waker>),
    Retire,
}

impl MachineLoop<'_> {
    /// Does the pending step with `processor`, and returns the next.
    pub(in crate::scheduler) fn step(
        &mut self,
        simulation: &Simulation,
        processor: Box<Processor>,
        pending: Pending,
    ) -> Pending {
        match pending {
            Pending::Look if simulation.has_costs() => return self.look_alone(simulation, processor),
            Pending::Look => self.turn(processor, &NoRoot),
            Pending::Search(order, pass) => return self.search(processor, order, pass),
            Pending::Poll(found) => self.poll_found(simulation, processor, found),
            Pending::Resume(wakers) => self.resume_tasks(processor, wakers),
            Pending::Retire => self.retire(processor),
        }
        Pending::Look
    }

    fn look_alone(&mut self, simulation: &Simulation, mut processor: Box<Processor>) -> Pending {
        let processors = &self.scheduler.processors;
        if processors.is_retirement_due() && processor.index() >= processors.regular() {
            self.retire_for_good(processor);
            return Pending::Look;
        }
        let found = self.look(&mut processor);
        let pending = match found {
            Some(found) if simulation.is_turn_without_work() => {
                self.poll_found(simulation, processor, found);
                return Pending::Look;
            }
            Some(found) => Pending::Poll(found),
            None if !processor.is_on_errand() && self.may_search(&mut processor) => {
                Pending::Search(self.draw_victims(&mut processor), 0)
            }
            None => Pending::Retire,
        };
        self.context.put_processor(processor);
        pending
    }

    /// Looks at some victims.
    fn search(&mut self, mut processor: Box<Processor>, mut order: VictimOrder, pass: usize) -> Pending {
        let is_last = pass == PASSES - 1;
        let found = self.visit(&mut processor, order.by_ref().take(VICTIMS_IN_A_TURN), is_last);
        let pending = match found {
            Some(found) => Pending::Poll(found),
            None if !order.is_done() => Pending::Search(order, pass),
            None if is_last => Pending::Retire,
            None => Pending::Search(self.draw_victims(&mut processor), pass + 1),
        };
        self.context.put_processor(processor);
        pending
    }

    fn poll_found(&mut self, simulation: &Simulation, processor: Box<Processor>, found: Found) {
        let is_foreign = found.source != FoundIn::RUNNEXT && found.source != FoundIn::RING;
        simulation.note_poll(processor.index(), found.task.id().as_u64(), is_foreign);
        self.poll_and_come_back(processor, found);
    }

    fn poll_and_come_back(&mut self, processor: Box<Processor>, found: Found) {
        self.poll(processor, found);
        self.innermost.come_back_to(self.context);
    }

    /// Goes on with a task that has computed: it is polled at once, whatever else waits.
    fn resume_tasks(&mut self, mut processor: Box<Processor>, wakers: Vec<Waker>) {
        let woken = WakeBatch::collect(self.context, || wakers.into_iter().for_each(wake_quietly));
        let mut tasks = woken.into_tasks();
        let first = tasks.pop_front();
        let placed = processor.push_own_batch(&mut tasks);
        self.scheduler.settle(processor.index(), placed);
        self.scheduler.inject_all(tasks);
        match first {
            Some(task) => self.poll_and_come_back(processor, task.found(FoundIn::RUNNEXT)),
            None => self.context.put_processor(processor),
        }
    }

    /// Leaves the tasks of a pending step to others: the machine has no processor to go on with.
    pub(in crate::scheduler) fn leave_pending(&self, pending: Pending) {
        match pending {
            Pending::Poll(found) => self.scheduler.inject(found.task),
            Pending::Resume(wakers) => wakers.into_iter().for_each(wake_quietly),
            Pending::Look | Pending::Search(..) | Pending::Retire => {}
        }
    }

    /// Charges for a sleep that begins.
    pub(in crate::scheduler) fn charge_for_sleep(&self) {
        self.scheduler.charge(Work::Sleep, 1);
    }
}
