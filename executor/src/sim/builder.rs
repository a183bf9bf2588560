//! The builder of a simulated runtime.

use super::environment::{replace_settings, tell_runner};
use crate::observe::dump;
use crate::runtime::{Builder, Dump};
use crate::scheduler::Scheduler;
use crate::scheduler::simulation::{Costs, Settings};
use crate::util::sync;

impl Builder {
    /// Creates a builder for a simulated runtime. Its processors run on the thread in `block_on`,
    /// in virtual time and in an order that `seed` decides: see [`sim`](crate::sim).
    ///
    /// It has four processors, unless [`worker_threads`](Self::worker_threads) says otherwise, and
    /// the one thread. The environment variable `WSRT_SIM_SEED` replaces the seed, so that the run
    /// of a test that has failed can be repeated, and `WSRT_SIM_PLAN` its
    /// [faults](crate::sim::Plan).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::runtime::Builder;
    /// use wsrt::time::{Instant, sleep};
    ///
    /// let runtime = Builder::new_simulated(7).worker_threads(16).build()?;
    /// runtime.run(async {
    ///     let began = Instant::now();
    ///     sleep(Duration::from_secs(24 * 3_600)).await;
    ///     assert!(began.elapsed() >= Duration::from_secs(24 * 3_600));
    /// });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new_simulated(seed: u64) -> Self {
        let mut builder = Self::new_multi_thread();
        let settings = Settings { seed, plan: None, costs: None, replace: replace_settings, report, tell_runner };
        builder.config.simulation = Some(settings);
        builder
    }

    /// Makes the scheduler's own work (polls, steals, wakes and looks at the netpoller) take
    /// virtual time in a simulated runtime. A poll then takes as long as the task
    /// [computes](crate::sim::compute), instead of a random time.
    ///
    /// Such a run shows how the scheduler does with more processors than there are. It is no test
    /// of a program: few of its orders are rare ones. `docs/SCALE.md` of wsrt's repository says how
    /// true to a computer it is.
    ///
    /// Nothing happens on a runtime that is not simulated.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::runtime::Builder;
    /// use wsrt::sim::{Costs, Sim, compute};
    ///
    /// let mut builder = Builder::new_simulated(7);
    /// let runtime = builder.simulated_costs(Costs::default()).worker_threads(64).build()?;
    /// runtime.run(async {
    ///     let tasks: Vec<_> = (0..64).map(|_| wsrt::spawn(compute(Duration::from_micros(50)))).collect();
    ///     for task in tasks {
    ///         task.await.expect("it does not panic");
    ///     }
    ///     assert_eq!(Sim::current().computed(), Duration::from_micros(64 * 50));
    /// });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn simulated_costs(&mut self, costs: Costs) -> &mut Self {
        if let Some(settings) = &mut self.config.simulation {
            settings.costs = Some(costs);
        }
        self
    }
}

/// Returns a dump, for a runtime none of whose tasks can continue.
fn report(scheduler: &Scheduler) -> String {
    Dump::of(dump::look(scheduler), sync::now()).to_string()
}
