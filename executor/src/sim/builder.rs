//! Builder options of simulated runtimes.

use super::run::{replace_settings, tell_runner};
use crate::observe::dump;
use crate::runtime::{Builder, Dump};
use crate::scheduler::Scheduler;
use crate::scheduler::simulation::{Costs, Settings};
use crate::util::sync;

impl Builder {
    /// Creates a builder for a simulated runtime, which runs on the thread in `block_on`, in
    /// virtual time and in an order set by `seed`. The module [`sim`](crate::sim) describes
    /// simulations.
    ///
    /// The runtime has four processors unless [`worker_threads`](Self::worker_threads) sets another
    /// number, and one thread. The environment variable `WSRT_SIM_SEED` replaces the seed, to
    /// repeat a failed run, and `WSRT_SIM_PLAN` replaces the run's [faults](crate::sim::Plan).
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

    /// Makes the scheduler's own work take virtual time in a simulated runtime: polls, steals,
    /// wakes and checks of the netpoller. A poll then takes as long as its task
    /// [computes](crate::sim::compute), instead of a random time.
    ///
    /// With costs, a simulation shows how the scheduler behaves with more processors than the
    /// computer has. It is not suited to testing a program, because few of its orders are unusual.
    /// `docs/SCALE.md` in wsrt's repository compares simulated costs with measurements.
    ///
    /// This option has no effect on runtimes that are not simulated.
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
