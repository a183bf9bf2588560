//! One publication to the recorder of the crate `metrics`: each figure under its name.

use metrics::{Label, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use wsrt::runtime::{LatencyHistogram, Metrics};

use crate::figures::{FIGURES, Figure, Kind, Labels, Value};

/// Publishes snapshots; it keeps the previous one, since a recorder takes the samples of a
/// histogram that are new.
pub(crate) struct Publisher {
    /// The value of the label `runtime`.
    runtime: String,
    previous: Metrics,
}

impl Publisher {
    /// Publishes `first` too, so that every name is known from the start.
    pub(crate) fn new(runtime: String, first: Metrics) -> Self {
        FIGURES.iter().for_each(describe);
        let publisher = Self { runtime, previous: first };
        publisher.put(&publisher.previous, &publisher.previous);
        publisher
    }

    pub(crate) fn publish(&mut self, now: Metrics) {
        self.put(&now, &now.since(&self.previous));
        self.previous = now;
    }

    fn put(&self, now: &Metrics, new: &Metrics) {
        for figure in &FIGURES {
            let metrics = if figure.kind == Kind::Histogram { new } else { now };
            figure.each_series(metrics, &mut |labels, value| self.put_series(figure, labels, value));
        }
    }

    fn put_series(&self, Figure { name, kind, .. }: &Figure, labels: Labels<'_>, value: Value) {
        let name = *name;
        let mut all = vec![Label::new("runtime", self.runtime.clone())];
        all.extend(labels.iter().map(|(name, value)| Label::new(*name, (*value).to_owned())));
        match (value, kind) {
            (Value::Count(count), Kind::Counter) => counter!(name, all).absolute(count),
            (Value::Count(count), _) => gauge!(name, all).set(count as f64),
            // Also those that only rise: counters of this crate are whole numbers.
            (Value::Seconds(duration), _) => gauge!(name, all).set(duration.as_secs_f64()),
            (Value::Durations(durations), _) => record(&histogram!(name, all), &durations),
        }
    }
}

/// Records the middle of each bucket as often as the bucket has counted: off by 6.25 % at most.
fn record(recorder: &metrics::Histogram, durations: &LatencyHistogram) {
    for (range, count) in durations.buckets() {
        let middle = range.start + (range.end - range.start) / 2;
        recorder.record_many(middle, usize::try_from(count).unwrap_or(usize::MAX));
    }
}

fn describe(Figure { name, about, kind, .. }: &Figure) {
    let (name, about, unit) = (*name, *about, if name.contains("_seconds") { Unit::Seconds } else { Unit::Count });
    match kind {
        Kind::Counter if unit == Unit::Count => describe_counter!(name, unit, about),
        Kind::Counter | Kind::Gauge => describe_gauge!(name, unit, about),
        Kind::Histogram => describe_histogram!(name, unit, about),
    }
}
