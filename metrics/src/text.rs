//! Prometheus' text format.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Write};

use wsrt::runtime::{Handle, LatencyHistogram, Metrics};

use crate::buckets::counts;
use crate::figures::{FIGURES, Figure, Kind, Labels, Value};

/// Returns the metrics of `runtimes` in Prometheus' text format, for a page that Prometheus
/// scrapes. Its content type is `text/plain; version=0.0.4`.
///
/// The page needs no recorder. Each series has the label `runtime`: the runtime's name, or its id
/// if it has none. If several runtimes have the same name, all but the first have their ids behind
/// it.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Builder::new_multi_thread().name("requests").build()?;
/// let page = wsrt_metrics::prometheus(&[runtime.handle().clone()]);
/// assert!(page.contains("wsrt_spawns_total{runtime=\"requests\"} 0\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn prometheus(runtimes: &[Handle]) -> String {
    let snapshots = runtimes.iter().map(|runtime| runtime.metrics().snapshot());
    let snapshots: Vec<_> = names(runtimes).into_iter().zip(snapshots).collect();
    let mut page = String::new();
    FIGURES.iter().for_each(|figure| write_figure(&mut page, figure, &snapshots));
    page
}

/// Returns the values of the label `runtime`, which differ.
pub fn names(runtimes: &[Handle]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for runtime in runtimes {
        let mut name = name(runtime);
        if !taken.insert(name.clone()) {
            let _ = write!(name, "-{}", runtime.id());
        }
        names.push(name);
    }
    names
}

/// Returns the value of the label `runtime` for one runtime alone.
pub(crate) fn name(runtime: &Handle) -> String {
    runtime.name().map_or_else(|| runtime.id().to_string(), str::to_owned)
}

fn write_figure(page: &mut String, figure: &Figure, snapshots: &[(String, Metrics)]) {
    let Figure { name, about, kind, .. } = figure;
    let kind = match kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram => "histogram",
    };
    let _ = writeln!(page, "# HELP {name} {about}.\n# TYPE {name} {kind}");
    for (runtime, metrics) in snapshots {
        figure.each_series(metrics, &mut |labels, value| {
            let labels = Labelled { runtime, labels };
            let _ = match value {
                Value::Count(count) => writeln!(page, "{name}{{{labels}}} {count}"),
                Value::Seconds(duration) => writeln!(page, "{name}{{{labels}}} {}", duration.as_secs_f64()),
                Value::Durations(histogram) => write_histogram(page, name, &labels, &histogram),
            };
        });
    }
}

fn write_histogram(page: &mut String, name: &str, labels: &Labelled<'_>, histogram: &LatencyHistogram) -> fmt::Result {
    for (bound, count) in counts(histogram) {
        writeln!(page, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}")?;
    }
    writeln!(page, "{name}_sum{{{labels}}} {}", histogram.sum().as_secs_f64())?;
    writeln!(page, "{name}_count{{{labels}}} {}", histogram.count())
}

/// The labels of a series, the runtime's name first.
struct Labelled<'a> {
    runtime: &'a str,
    labels: Labels<'a>,
}

impl Display for Labelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "runtime=\"{}\"", Escaped(self.runtime))?;
        self.labels.iter().try_for_each(|(name, value)| write!(f, ",{name}=\"{}\"", Escaped(value)))
    }
}

/// The value of a label.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '\\' => f.write_str("\\\\"),
            '"' => f.write_str("\\\""),
            '\n' => f.write_str("\\n"),
            _ => f.write_char(letter),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wsrt::runtime::Builder;

    fn series<'a>(page: &'a str, begin: &str) -> Vec<&'a str> {
        page.lines().filter(|line| line.starts_with(begin)).collect()
    }

    #[test]
    fn each_figure_is_described_once_for_all_runtimes() {
        let runtimes = [(); 2].map(|()| Builder::new_current_thread().name("a\"b").build().expect("a runtime"));
        let page = prometheus(&runtimes.each_ref().map(|runtime| runtime.handle().clone()));
        let described: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
        assert_eq!(described.len(), FIGURES.len());
        assert_eq!(described.iter().collect::<BTreeSet<_>>().len(), FIGURES.len());
        let second = format!("wsrt_processors{{runtime=\"a\\\"b-{}\"}} 1", runtimes[1].handle().id());
        assert_eq!(series(&page, "wsrt_processors{"), ["wsrt_processors{runtime=\"a\\\"b\"} 1", &second]);
    }

    #[test]
    fn buckets_of_a_histogram_add_up() {
        let runtime = Builder::new_current_thread().latency_histograms(true).build().expect("a runtime");
        runtime.block_on(async {
            let yields = async {
                for _ in 0..1_000 {
                    wsrt::task::yield_now().await;
                }
            };
            wsrt::spawn(yields).await.expect("it does not panic");
        });
        let page = prometheus(&[runtime.handle().clone()]);
        let value = |line: &str| line.rsplit(' ').next().expect("a value").parse::<f64>().expect("a number");
        let buckets: Vec<f64> = series(&page, "wsrt_poll_time_seconds_bucket").into_iter().map(value).collect();
        let count = value(series(&page, "wsrt_poll_time_seconds_count")[0]);
        assert!(buckets.is_sorted() && count > 0.0, "{buckets:?}");
        assert_eq!(buckets.last(), Some(&count));
        assert!(value(series(&page, "wsrt_poll_time_seconds_sum")[0]) > 0.0);
    }
}
