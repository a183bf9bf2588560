//! The builder of a simulated runtime.

use super::Builder;
use super::dump::report_on;
use crate::scheduler::simulation::Settings;

impl Builder {
    /// Begins a runtime whose processors run on the thread in `block_on`, in an order that `seed`
    /// decides, and in virtual time: see [`sim`](crate::sim).
    ///
    /// It has four processors, unless [`worker_threads`](Self::worker_threads) says otherwise, and
    /// the one thread. The environment variable `WSRT_SIM_SEED` replaces the seed, so that the run
    /// of a test that has failed can be repeated.
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
        builder.config.simulation = Some(Settings { seed, report: report_on });
        builder
    }
}
