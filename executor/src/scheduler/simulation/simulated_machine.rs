//! A simulated machine: it takes the steps of the loop that threads run, one in each turn, and
//! sleeps by giving the turn to others.

use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use wsrt_world::RecordedStep;

use super::{Dice, Simulation};
use crate::scheduler::block_on::root::NoRoot;
use crate::scheduler::context::Role;
use crate::scheduler::core::found::FoundIn;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::worker::driver::WakeBatch;
use crate::scheduler::worker::step::Step;
use crate::scheduler::worker::{LoopState, MachineLoop};
use crate::scheduler::{Context, Scheduler};
use crate::util::unwind::wake_quietly;

/// A machine between two of its turns.
pub(super) struct SimulatedMachine {
    /// The innermost during its turns only.
    context: Rc<Context>,
    /// Taken during a turn.
    loop_state: Option<LoopState>,
    state: TurnState,
    /// The tasks that have computed until the next turn, and continue in it.
    computing: Vec<Waker>,
    /// True if it sleeps, and was seen to have been woken.
    is_roused: bool,
    /// When its next turn begins, in nanoseconds; `u64::MAX` if it sleeps until it is woken.
    due: u64,
    tie: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnState {
    /// Its thread has not run yet.
    Started,
    Awake,
    /// Asleep on its own parker.
    Parked,
    /// Asleep in the netpoller.
    Polling,
    /// Its thread has ended.
    Gone,
}

impl SimulatedMachine {
    /// A machine that was started. The context of the simulation is the innermost.
    pub(super) fn new(scheduler: &Arc<Scheduler>, machine: Arc<Machine>, now: u64, dice: &mut Dice) -> Self {
        machine.parker().adopt_current_thread();
        scheduler.threads.enroll(&machine);
        scheduler.helpers.end_start();
        Self {
            context: Context::beside(scheduler, Role::Machine(machine)),
            loop_state: Some(LoopState::of_a_started_machine()),
            state: TurnState::Started,
            computing: Vec::new(),
            is_roused: false,
            due: now + dice.start(),
            tie: dice.tie(),
        }
    }

    /// Returns when the next turn begins, and the tie-breaker.
    pub(super) fn due(&self) -> (u64, u64) {
        (self.due, self.tie)
    }

    pub(super) fn is_polling(&self) -> bool {
        self.state == TurnState::Polling
    }

    pub(super) fn is_gone(&self) -> bool {
        self.state == TurnState::Gone
    }

    /// Returns whether the machine sleeps and was woken since the last call.
    #[must_use]
    pub(super) fn see_wake(&mut self, simulation: &Simulation) -> bool {
        let is_notified = || self.context.machine().is_some_and(|machine| machine.parker().is_notified());
        let is_woken = match self.state {
            TurnState::Parked => is_notified(),
            TurnState::Polling => {
                is_notified() || simulation.is_interrupted() || simulation.world.network().has_events()
            }
            TurnState::Started | TurnState::Awake | TurnState::Gone => false,
        };
        is_woken && !std::mem::replace(&mut self.is_roused, is_woken)
    }

    /// It was woken, and runs at the time `at`, if not before.
    pub(super) fn run_at(&mut self, at: u64, tie: u64) {
        (self.due, self.tie) = (self.due.min(at), tie);
    }

    /// Makes one turn. The context of the simulation is to be made the innermost again.
    pub(super) fn take_turn(&mut self, simulation: &Simulation) {
        Context::put_back(&self.context);
        self.is_roused = false;
        let state = self.loop_state.take().expect("its turns do not nest");
        let mut machine_loop = MachineLoop::with_state(&self.context, state);
        let step = match self.state {
            TurnState::Started => {
                call_start_hook(&self.context);
                None
            }
            TurnState::Parked => {
                let is_woken = machine_loop.machine.parker().end_parking();
                machine_loop.get_up(&NoRoot, WakeBatch::default(), !is_woken);
                None
            }
            TurnState::Polling => {
                simulation.take_interrupt();
                // Instead of a block: the tasks found are collected once it has left.
                let turn = machine_loop.driver.turn(Some(Duration::ZERO));
                machine_loop.scheduler.elsewhere.count_turn(turn);
                machine_loop.leave_netpoller(&NoRoot);
                None
            }
            TurnState::Awake | TurnState::Gone => Some(machine_loop.step_with(std::mem::take(&mut self.computing))),
        };
        (self.state, self.due) = machine_loop.obey(simulation, step);
        self.loop_state = Some(machine_loop.state);
        // The turn lasts for as long as its task computes.
        let computing = simulation.take_computing();
        self.due = self.due.saturating_add(computing.nanos);
        self.computing = computing.wakers;
    }

    /// Ends it, wherever it is.
    pub(super) fn end(&mut self, scheduler: &Scheduler) {
        if self.state == TurnState::Gone {
            return;
        }
        Context::put_back(&self.context);
        let state = self.loop_state.take().expect("its turns do not nest");
        let mut machine_loop = MachineLoop::with_state(&self.context, state);
        self.computing.drain(..).for_each(wake_quietly);
        match self.state {
            TurnState::Parked => _ = machine_loop.machine.parker().end_parking(),
            TurnState::Polling => {
                machine_loop.machine.parker().end_polling();
                scheduler.poll_owner.leave();
            }
            TurnState::Started | TurnState::Awake | TurnState::Gone => {}
        }
        machine_loop.end();
        scheduler.threads.count_out();
        self.state = TurnState::Gone;
    }

    /// Its last turn, for the record.
    pub(super) fn recorded_step(&self, simulation: &Simulation, index: usize) -> RecordedStep {
        let polled = self.context.with_processor(|processor| {
            processor.map(|processor| {
                let shared = processor.shared();
                let task = simulation.number_of(shared.watch().state().task);
                (processor.index(), task, shared.counters().polls())
            })
        });
        RecordedStep::Machine { index, end: self.state as u64, polled }
    }
}

fn call_start_hook(context: &Rc<Context>) {
    let scheduler = context.scheduler();
    if let (Some(hook), Some(machine)) = (&scheduler.config.on_thread_start, context.machine()) {
        scheduler.call_in_hook(context, machine, "on_thread_start", hook);
    }
}

impl MachineLoop<'_> {
    /// Does one step; or continues with tasks that have computed until now, which are polled before
    /// anything else, as if their polls had lasted.
    fn step_with(&mut self, computing: Vec<Waker>) -> Step {
        let processor = if computing.is_empty() || self.is_over() { None } else { self.processor() };
        let Some(mut processor) = processor else {
            computing.into_iter().for_each(wake_quietly);
            return self.step(&NoRoot);
        };
        let woken = WakeBatch::collect(self.context, || computing.into_iter().for_each(wake_quietly));
        let mut tasks = woken.into_tasks();
        let (index, first) = (processor.index(), tasks.pop_front());
        let placed = processor.push_own_batch(&mut tasks);
        self.scheduler.settle(index, placed);
        self.scheduler.inject_all(tasks);
        match first {
            Some(task) => self.poll(processor, task.found(FoundIn::RUNNEXT)),
            None => self.context.put_processor(processor),
        }
        Step::Turn { processor: index }
    }

    /// Does what a thread would do after `step`, or after a start or a sleep, where there was none.
    /// Returns the machine's state, and the time of the next turn.
    fn obey(&mut self, simulation: &Simulation, step: Option<Step>) -> (TurnState, u64) {
        let now = self.scheduler.clock.timer_now();
        let processor = match step {
            None => None,
            Some(Step::Turn { processor }) => Some(processor),
            Some(Step::Again) => return (TurnState::Awake, now),
            Some(Step::Park) if self.machine.parker().begin_parking() => {
                return (TurnState::Parked, self.end_of_keep_alive(now));
            }
            Some(Step::Park) => {
                self.get_up(&NoRoot, WakeBatch::default(), false);
                return (TurnState::Awake, now);
            }
            Some(Step::BlockInNetpoller { until }) => return (TurnState::Polling, until.max(now)),
            Some(Step::Exit) => {
                self.end();
                return (TurnState::Gone, u64::MAX);
            }
        };
        (TurnState::Awake, simulation.end_of_turn(self.scheduler, processor))
    }

    /// When a machine that falls asleep now is surplus.
    fn end_of_keep_alive(&self, now: u64) -> u64 {
        if self.scheduler.threads.alive() <= self.scheduler.processors.regular() {
            return u64::MAX;
        }
        now.saturating_add(u64::try_from(self.scheduler.config.thread_keep_alive.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Ends it, as the thread of a machine does.
    fn end(&mut self) {
        self.leave();
        self.scheduler.config.call_stop_hook();
    }
}
