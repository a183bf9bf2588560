//! A simulated machine: the loop of a machine, which returns to the simulation after each of its
//! turns, and where it would sleep.

use std::rc::Rc;
use std::sync::Arc;

use wsrt_world::Step;

use super::{Dice, Simulation};
use crate::scheduler::context::Role;
use crate::scheduler::driver::WakeBatch;
use crate::scheduler::machine::Machine;
use crate::scheduler::machine_loop::{MachineLoop, Past, Pending};
use crate::scheduler::root::NoRoot;
use crate::scheduler::{Context, Scheduler};

/// A machine between two of its turns.
pub(super) struct SimulatedMachine {
    /// The innermost during its turns only.
    context: Rc<Context>,
    /// Taken during a turn.
    past: Option<Past>,
    /// The next step of one that is awake.
    pending: Pending,
    state: TurnState,
    /// Whether it sleeps, and was seen to have been woken.
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
        let entered = Context::enter(scheduler, Role::Machine(machine));
        let context = entered.keep().expect("its guard is here");
        drop(entered);
        let past = Some(Past::of_a_started_machine());
        let (pending, state) = (Pending::Look, TurnState::Started);
        Self { context, past, pending, state, is_roused: false, due: now + dice.start(), tie: dice.tie() }
    }

    /// When its next turn begins, and what decides between several that begin at the same time.
    pub(super) fn due(&self) -> (u64, u64) {
        (self.due, self.tie)
    }

    pub(super) fn is_polling(&self) -> bool {
        self.state == TurnState::Polling
    }

    pub(super) fn is_gone(&self) -> bool {
        self.state == TurnState::Gone
    }

    /// Whether it sleeps and was woken, which it has not been seen to be. It has been, from now on.
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

    /// Has one turn. The context of the simulation is to be made the innermost again.
    pub(super) fn take_turn(&mut self, simulation: &Simulation) {
        Context::put_back(&self.context);
        self.is_roused = false;
        if self.state == TurnState::Started {
            call_start_hook(&self.context);
        }
        let past = self.past.take().expect("its turns do not nest");
        let mut machine_loop = MachineLoop::continued(&self.context, past);
        (self.state, self.due) = machine_loop.take_turn(simulation, self.state, &mut self.pending);
        self.past = Some(machine_loop.into_past());
        self.compute(simulation);
    }

    /// The turn lasts for as long as its task computes, and this goes on with the task then.
    fn compute(&mut self, simulation: &Simulation) {
        let computing = simulation.take_computing();
        if !computing.wakers.is_empty() {
            self.pending = Pending::Resume(computing.wakers);
            self.due += computing.nanos;
        }
        let held = self.context.with_processor(|processor| processor.map(|processor| processor.index()));
        if let Some(index) = held {
            simulation.with_spending(|spending| spending.set_busy_until(index, self.due));
        }
    }

    /// Ends it, wherever it is.
    pub(super) fn end(&mut self, scheduler: &Scheduler) {
        if self.state == TurnState::Gone {
            return;
        }
        Context::put_back(&self.context);
        let past = self.past.take().expect("its turns do not nest");
        let mut machine_loop = MachineLoop::continued(&self.context, past);
        machine_loop.leave_pending(std::mem::take(&mut self.pending));
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
    pub(super) fn step(&self, simulation: &Simulation, index: usize) -> Step {
        let polled = self.context.with_processor(|processor| {
            processor.map(|processor| {
                let shared = processor.shared();
                let task = simulation.number_of(shared.watch().state().task);
                (processor.index(), task, shared.counters().polls())
            })
        });
        Step::Machine { index, end: self.state as u64, polled }
    }
}

fn call_start_hook(context: &Context) {
    let scheduler = context.scheduler();
    if let (Some(hook), Some(machine)) = (&scheduler.config.on_thread_start, context.machine()) {
        scheduler.call_in_hook(context, machine, "on_thread_start", hook);
    }
}

impl MachineLoop<'_> {
    /// Goes on from `state` to the end of the turn, or to where it falls asleep. Returns its state,
    /// and until when it sleeps; for one that is awake, the time at which it may go on.
    fn take_turn(&mut self, simulation: &Simulation, state: TurnState, pending: &mut Pending) -> (TurnState, u64) {
        match state {
            TurnState::Started => {}
            TurnState::Parked => {
                let is_woken = self.machine.parker().end_parking();
                self.get_up(&NoRoot, WakeBatch::default(), !is_woken);
            }
            TurnState::Polling => {
                self.machine.parker().end_polling();
                simulation.take_interrupt();
                self.driver.look();
                let batch = self.end_own_poll();
                self.get_up(&NoRoot, batch, false);
            }
            TurnState::Awake | TurnState::Gone if self.is_over() => {
                self.leave_pending(std::mem::take(pending));
                self.end();
                return (TurnState::Gone, u64::MAX);
            }
            TurnState::Awake | TurnState::Gone => match self.processor() {
                Some(processor) => *pending = self.step(simulation, processor, std::mem::take(pending)),
                None => {
                    self.leave_pending(std::mem::take(pending));
                    return self.lie_down(simulation);
                }
            },
        }
        (TurnState::Awake, simulation.end_of_turn(self.scheduler.clock.timer_now()))
    }

    /// Falls asleep, as far as that can be done before another machine has its turn.
    fn lie_down(&mut self, simulation: &Simulation) -> (TurnState, u64) {
        let now = self.scheduler.clock.timer_now();
        if !self.is_to_sleep(&NoRoot) {
            return (TurnState::Awake, now + simulation.spent_in_turn());
        }
        self.charge_for_sleep();
        self.call_park_hook();
        if self.scheduler.shutdown.has_begun() {
            self.get_up(&NoRoot, WakeBatch::default(), false);
            return (TurnState::Awake, now + simulation.spent_in_turn());
        }
        let parker = self.machine.parker();
        match self.begin_own_poll() {
            Some(published) if parker.begin_polling() => return (TurnState::Polling, published.max(now)),
            Some(_) => {
                let batch = self.end_own_poll();
                self.get_up(&NoRoot, batch, false);
            }
            None if parker.begin_parking() => return (TurnState::Parked, self.end_of_keep_alive(now)),
            None => self.get_up(&NoRoot, WakeBatch::default(), false),
        }
        (TurnState::Awake, now + simulation.spent_in_turn())
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
