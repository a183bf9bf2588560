//! The thread of a machine: it runs the loop's steps, and obeys each by continuing or sleeping.

use std::sync::Arc;

use wsrt_reactor::budget;

use super::driver::WakeBatch;
use super::step::Step;
use super::{LoopState, MachineLoop};
use crate::scheduler::block_on::root::{LoopRoot, NoRoot};
use crate::scheduler::context::Role;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::{Context, Scheduler, shutdown, time_slice};
use crate::util::unwind::AbortOnUnwind;

impl MachineLoop<'_> {
    /// Runs until the runtime shuts down, the root future is done, or the machine is surplus.
    pub(crate) fn run(&mut self, root: &impl LoopRoot) {
        let _outer_budget = budget::keep();
        loop {
            match self.step(root) {
                Step::Turn { .. } | Step::Again => {}
                Step::Park => {
                    let timed_out = self.park();
                    self.get_up(root, WakeBatch::default(), timed_out);
                }
                Step::BlockInNetpoller { until } => {
                    self.block_in_netpoller(until);
                    self.leave_netpoller(root);
                }
                Step::Exit => return,
            }
        }
    }

    /// Parks the thread, for the keep-alive time at most where there are more machines than
    /// processors. Returns whether the time ran out.
    fn park(&self) -> bool {
        let _parked = self.scheduler.observer.parked();
        if self.scheduler.threads.alive() <= self.scheduler.processors.regular() {
            self.machine.parker().park();
            return false;
        }
        !self.machine.parker().park_timeout(self.scheduler.config.thread_keep_alive)
    }

    fn block_in_netpoller(&mut self, until: u64) {
        let _sleeping = self.scheduler.observer.in_netpoller();
        self.driver.block(until);
    }
}

/// The life of a machine's thread.
pub(super) fn serve(scheduler: Arc<Scheduler>, machine: Arc<Machine>) {
    let guard = AbortOnUnwind::OF_A_THREAD;
    machine.parker().adopt_current_thread();
    scheduler.threads.enroll(&machine);
    scheduler.helpers.end_start();
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(&scheduler, Role::Machine(machine));
    let machine = entered.machine().expect("it has entered as one");
    if let Some(hook) = &scheduler.config.on_thread_start {
        scheduler.call_in_hook(&entered, machine, "on_thread_start", hook);
    }
    time_slice::ask_for_short_ones();
    let mut machine_loop = MachineLoop::with_state(&entered, LoopState::of_a_started_machine());
    machine_loop.run(&NoRoot);
    machine_loop.leave();
    scheduler.config.call_stop_hook();
    drop(entered);
    shutdown::depart(&scheduler);
    std::mem::forget(guard);
}
