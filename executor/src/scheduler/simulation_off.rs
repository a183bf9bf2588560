//! The twin of `simulation/` without feature `sim`: a simulation that there never is, so that each
//! question for one compiles to nothing.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use wsrt_reactor::Netpoller;
use wsrt_reactor::simulated_net::SimulatedNetwork;

use crate::scheduler::Scheduler;
use crate::scheduler::clock::Clock;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::parker::Unparked;
use crate::task::{Id, Runnable};
use crate::util::world::{Cost, Mounted, Never};

/// The builder's decisions: never made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Settings {}

/// The simulation of a runtime: none has one.
#[derive(Debug)]
pub(crate) enum Simulation {}

/// Refuses to wait for another runtime on a thread that drives a simulation: none does.
pub(crate) fn refuse_beside_simulation() {}

impl Settings {
    pub(crate) fn by_environment(self) -> io::Result<Self> {
        match self {}
    }

    pub(crate) fn give_numbers(&self) {
        match *self {}
    }
}

impl Simulation {
    pub(crate) fn new(settings: Settings) -> Self {
        match settings {}
    }

    pub(crate) fn is_staged(&self) -> bool {
        match *self {}
    }

    pub(crate) fn is_driven_here(&self) -> bool {
        match *self {}
    }

    pub(crate) fn note_caller(&self) {
        match *self {}
    }

    pub(crate) fn override_hosts(&self) -> Never {
        match *self {}
    }

    pub(crate) fn simulated_network(&self) -> Arc<dyn SimulatedNetwork> {
        match *self {}
    }

    pub(crate) fn disk_of_current_task(&self) -> io::Result<Option<Mounted>> {
        match *self {}
    }

    pub(crate) fn take_disk_time(&self, _: usize, _: Cost) {
        match *self {}
    }

    pub(crate) fn next_id(&self) -> (Id, usize) {
        match *self {}
    }

    pub(crate) fn note_task(&self, _: Id) {
        match *self {}
    }

    pub(crate) fn interrupt(&self) {
        match *self {}
    }

    pub(crate) fn start(&self, _: Arc<Machine>) {
        match *self {}
    }

    pub(crate) fn queue_job(&self, _: u64, _: Runnable, _: bool) -> Result<(), Runnable> {
        match *self {}
    }

    pub(crate) fn close_jobs(&self) -> Vec<Runnable> {
        match *self {}
    }

    pub(crate) fn forget_program(&self) {
        match *self {}
    }

    pub(crate) fn take_over(&self, _: &Clock, _: &Netpoller) {
        match *self {}
    }

    pub(crate) fn is_victim_held_up(&self) -> bool {
        match *self {}
    }

    pub(crate) fn note_roused(&self, _: &Machine, _: Unparked) {
        match *self {}
    }

    pub(crate) fn block_on<F: Future>(&self, _: &Arc<Scheduler>, _: Pin<&mut F>) -> F::Output {
        match *self {}
    }
}

/// Refuses to run a test with seeds. Used by the expansion of `#[wsrt::test]`.
#[doc(hidden)]
#[macro_export]
macro_rules! __run_with_seeds {
    ($($argument:tt)*) => {
        ::core::compile_error!(
            "`#[wsrt::test(seeds = …)]` needs the feature `sim` of the crate `wsrt`: set `features = [\"sim\"]` for it, in \
             `[dev-dependencies]`"
        )
    };
}
