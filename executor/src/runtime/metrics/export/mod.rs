//! Exporting: what a runtime counts, passed on through the crate `metrics` to whichever recorder
//! the program has installed.

mod publishing;

use std::io;
use std::time::Duration;

use super::Metrics;
use crate::runtime::Handle;
use crate::runtime::metrics::export::publishing::Publisher;
use crate::runtime::periodic::Periodic;

impl Handle {
    /// Publishes what the runtime counts through the crate [`metrics`], once in each `period`,
    /// until what this returns is dropped; a last time then. Needs feature `metrics`.
    ///
    /// A thread does that, called `wsrt-metrics`, so that it goes on whatever the processors are
    /// stuck in. Where the figures go is for the program's recorder to say, Prometheus or another,
    /// which has to be installed before; without one they go nowhere. Names, labels and units are
    /// listed in `docs/METRICS.md`. Two runtimes that publish to the same recorder overwrite each
    /// other's figures.
    ///
    /// It does not keep the runtime alive. When that is gone, the thread ends within a `period`.
    ///
    /// # Errors
    ///
    /// If `period` is zero, or the system refuses a thread.
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

/// The runtime's figures are published for as long as this is alive. Made by
/// [`Handle::export_metrics`].
#[derive(Debug)]
#[must_use = "figures are published until this is dropped"]
pub struct MetricsExport {
    _publishing: Periodic,
}
