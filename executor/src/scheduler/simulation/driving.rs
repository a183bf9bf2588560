//! Driving: the numbers, the clock, the names and the sockets that a thread is given for as long as
//! it runs the machines of a simulation.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::Simulation;
use crate::task::{ListedPanics, give_ids, list_panics};
use crate::util::given::Given;
use crate::util::given_entropy::give_entropy;
use crate::util::given_time::{self, GivenTime, give_time};
use crate::util::host_clock::{GivenClocks, HostClocks, give_clocks};
use crate::util::system_calls::{GivenNames, GivenSockets};
use crate::util::task_hosts::GivenHosts;

/// This thread drives the simulation, until this is dropped. Its entropy, the ids of its tasks,
/// the time on its clocks and the names of hosts come from the simulation meanwhile.
pub(super) struct Driving<'a> {
    simulation: &'a Simulation,
    entropy: Given,
    ids: Given,
    time: Option<GivenTime>,
    _names: GivenNames,
    _sockets: GivenSockets,
    _panics: ListedPanics,
    _clocks: GivenClocks,
    _hosts: GivenHosts,
    #[cfg(feature = "macros")]
    _branches: branches::GivenBranches,
}

impl<'a> Driving<'a> {
    /// # Panics
    ///
    /// If another thread does.
    pub(super) fn begin(simulation: &'a Simulation, now: u64) -> Self {
        assert!(
            simulation.driver.enter(),
            "wsrt: `block_on` of a simulated runtime was called while another thread is in it: a simulation runs on one thread"
        );
        let entropy = give_entropy(simulation.state.lock().entropy);
        #[cfg(feature = "macros")]
        let branches = simulation.with_dice(branches::GivenBranches::begin);
        simulation.is_staged.store(true, Relaxed);
        Self {
            simulation,
            entropy,
            ids: give_ids(simulation.next_id.load(Relaxed)),
            time: Some(give_time(simulation.began, now)),
            _names: simulation.network.give_names(),
            _sockets: simulation.network.give_sockets(),
            _panics: list_panics(),
            _clocks: give_clocks(Arc::clone(&simulation.clocks) as Arc<dyn HostClocks>),
            _hosts: simulation.give_hosts(),
            #[cfg(feature = "macros")]
            _branches: branches,
        }
    }
}

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        self.simulation.state.lock().entropy = self.entropy.next();
        self.simulation.next_id.store(self.ids.next(), Relaxed);
        self.simulation.is_staged.store(false, Relaxed);
        self.simulation.driver.leave();
        // The clock of `sim::run` goes on from here: no runtime ends before its run.
        let ends_at = given_time::uptime();
        self.time = None;
        ends_at.into_iter().for_each(given_time::move_to_uptime);
    }
}

#[cfg(feature = "macros")]
mod branches {
    //! The order in which `select!` looks at its branches.

    use wsrt_sync::macros::support::replace_seed;

    use super::super::Dice;

    /// This thread's `select!`s draw their orders from the simulation's seed.
    pub(super) struct GivenBranches {
        before: u64,
    }

    impl GivenBranches {
        pub(super) fn begin(dice: &mut Dice) -> Self {
            Self { before: replace_seed(dice.tie()) }
        }
    }

    impl Drop for GivenBranches {
        fn drop(&mut self) {
            let _ = replace_seed(self.before);
        }
    }
}
