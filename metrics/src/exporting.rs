//! The thread that publishes a runtime's metrics to a recorder.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wsrt::runtime::{Handle, RuntimeMetrics};

use crate::publishing::Publisher;
use crate::text::name;

/// Publishes the metrics of `runtime` once per `period`, until the returned value is dropped.
/// Dropping the returned value publishes the metrics one last time.
///
/// The metrics are published by a separate thread named `wsrt-metrics`, so they are published even
/// if every processor is stuck. They go to the program's recorder, which must be installed before
/// this call; without a recorder, the metrics are discarded. Each series has the label `runtime`:
/// the runtime's name, or its id if it has none. Runtimes of the same name overwrite each other's
/// metrics.
///
/// The histograms are recorded sample by sample: a recorder for Prometheus shows them as histograms
/// if it is told of the [buckets](crate::BUCKETS), and as summaries otherwise. Counters of seconds
/// are published as gauges, because counters of the crate `metrics` are whole numbers.
///
/// Exporting does not keep the runtime alive. After the runtime has ended, its final metrics
/// continue to be published.
///
/// # Errors
///
/// Returns an error if `period` is zero, or the OS error if the thread cannot be started.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// let runtime = wsrt::runtime::Runtime::new()?;
/// let exporting = wsrt_metrics::export(runtime.handle(), Duration::from_secs(1))?;
/// runtime.run(async { /* the program */ });
/// drop(exporting);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn export(runtime: &Handle, period: Duration) -> io::Result<MetricsExport> {
    if period.is_zero() {
        let message = "`wsrt_metrics::export`: the period is zero; it has to be longer, such as a second";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let metrics = runtime.metrics();
    let publisher = Publisher::new(name(runtime), metrics.snapshot());
    let (until_dropped, ended) = channel();
    let publish = move || publish_until(&ended, &metrics, period, publisher);
    let thread = thread::Builder::new().name("wsrt-metrics".into()).spawn(publish)?;
    Ok(MetricsExport { until_dropped: Some(until_dropped), thread: Some(thread) })
}

/// A handle to the thread that publishes a runtime's metrics. Returned by [`export`]; dropping the
/// handle ends the thread.
#[derive(Debug)]
#[must_use = "figures are published until this is dropped"]
pub struct MetricsExport {
    /// Nothing is sent: the thread learns from its drop that it should end.
    until_dropped: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for MetricsExport {
    fn drop(&mut self) {
        drop(self.until_dropped.take());
        if let Some(thread) = self.thread.take() {
            // An error is a panic of the recorder, which has printed its message.
            let _ = thread.join();
        }
    }
}

fn publish_until(ended: &Receiver<()>, metrics: &RuntimeMetrics, period: Duration, mut publisher: Publisher) {
    let mut due = Some(Instant::now());
    let mut goes_on = true;
    while goes_on {
        due = due.and_then(|due| due.checked_add(period));
        goes_on = match due {
            Some(due) => {
                let left = due.saturating_duration_since(Instant::now());
                ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout)
            }
            // Beyond the clock: only the end is left to wait for.
            None => ended.recv().is_ok(),
        };
        publisher.publish(metrics.snapshot());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metrics_exporter_prometheus::PrometheusBuilder;
    use wsrt::runtime::Builder;

    fn spawns(page: &str) -> u64 {
        let line = page.lines().find(|line| line.starts_with("wsrt_spawns_total{")).expect("it is published");
        line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    }

    #[test]
    fn figures_are_published_at_once_and_a_last_time() {
        let recorder = PrometheusBuilder::new().install_recorder().expect("no other is there");
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime is to be had");
        let exporting = export(runtime.handle(), Duration::MAX).expect("a thread is to be had");
        let first = spawns(&recorder.render());
        runtime.block_on(async { wsrt::spawn(async {}).await }).expect("no panic");
        drop(exporting);
        assert!(spawns(&recorder.render()) > first);
    }

    #[test]
    fn a_period_of_zero_is_refused() {
        let runtime = Builder::new_current_thread().build().expect("a runtime is to be had");
        let refused = export(runtime.handle(), Duration::ZERO).expect_err("it would never wait");
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
    }
}
