//! Exports the counts of a runtime through the crate `metrics` to the recorder that the program has
//! installed.

mod publishing;

use std::io;
use std::time::Duration;

use super::Metrics;
use crate::runtime::Handle;
use crate::runtime::metrics::export::publishing::Publisher;
use crate::runtime::periodic::Periodic;

impl Handle {
    /// Publishes the runtime's metrics through the crate [`metrics`], once in each `period`, until
    /// the returned value is dropped, and a last time then. Needs feature `metrics`.
    ///
    /// A thread called `wsrt-metrics` does so, even if every processor is stuck. The program's
    /// recorder, Prometheus or another, receives the figures; it has to be installed before, and
    /// without one they are dropped. The guide's [metrics](crate::guide::metrics) lists names,
    /// labels and units. Two runtimes that publish to the same recorder overwrite each other's
    /// figures.
    ///
    /// It does not keep the runtime alive. When that is gone, the thread ends within a `period`.
    ///
    /// # Errors
    ///
    /// Returns an error if `period` is zero, and the OS error if the system refuses a thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let exporting = runtime.handle().export_metrics(Duration::from_secs(1))?;
    /// runtime.run(async { /* the program */ });
    /// drop(exporting);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// [`metrics`]: https://docs.rs/metrics
    pub fn export_metrics(&self, period: Duration) -> io::Result<MetricsExport> {
        if period.is_zero() {
            let message = "`export_metrics`: the period is zero; it has to be longer, such as a second";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut publisher = Publisher::new(Metrics::read(self.scheduler()));
        let publish = move |scheduler: &_| publisher.publish(Metrics::read(scheduler));
        Ok(MetricsExport { _publishing: Periodic::start("wsrt-metrics", self.scheduler(), period, publish)? })
    }
}

/// Publishes the runtime's metrics until it is dropped. Made by [`Handle::export_metrics`].
#[derive(Debug)]
#[must_use = "figures are published until this is dropped"]
pub struct MetricsExport {
    _publishing: Periodic,
}
