//! Driving: the numbers, the clock, the names and the sockets that a thread is given for as long as
//! it runs the machines of a simulation.

use std::sync::atomic::Ordering::Relaxed;

use wsrt_world::entropy::override_entropy;
use wsrt_world::virtual_time::{self, TimeOverride, override_time};
use wsrt_world::{SequenceOverride, WorldOverride};

use super::Simulation;
use wsrt_world::task_ids::override_ids;
use wsrt_world::unread_panics::{ListedPanics, list_panics};

/// This thread drives the simulation, until this is dropped. Its entropy, the ids of its tasks,
/// the time on its clocks and the names of hosts come from the simulation during the run.
pub(super) struct Driving<'a> {
    simulation: &'a Simulation,
    entropy: SequenceOverride,
    ids: SequenceOverride,
    time: Option<TimeOverride>,
    _world: WorldOverride,
    _panics: ListedPanics,
    #[cfg(feature = "macros")]
    _branches: branches::GivenBranches,
}

impl<'a> Driving<'a> {
    /// # Panics
    ///
    /// If another thread does.
    pub(super) fn begin(simulation: &'a Simulation, now: u64) -> Self {
        assert!(
            simulation.world.driver().enter(),
            "wsrt: `block_on` of a simulated runtime was called while another thread is in it: a simulation runs on one thread"
        );
        let entropy = override_entropy(simulation.state.lock().entropy);
        #[cfg(feature = "macros")]
        let branches = simulation.with_dice(branches::GivenBranches::begin);
        simulation.is_staged.store(true, Relaxed);
        Self {
            simulation,
            entropy,
            ids: override_ids(simulation.next_id.load(Relaxed)),
            time: Some(override_time(simulation.began, now)),
            _world: simulation.world.give(),
            _panics: list_panics(),
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
        self.simulation.world.driver().leave();
        // The clock of `sim::run` continues from here: no runtime ends before its run.
        let ends_at = virtual_time::uptime();
        self.time = None;
        ends_at.into_iter().for_each(virtual_time::move_to_uptime);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::fresh;

    #[test]
    fn fresh_generators_are_alike_under_one_seed_only() {
        let drawn = |seed| {
            let _given = override_entropy(seed);
            [fresh().next_u64(), fresh().next_u64()]
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_ne!(drawn(1)[0], drawn(1)[1]);
        assert_eq!(wsrt_world::entropy::draw(), None, "it has ended");
    }
}
