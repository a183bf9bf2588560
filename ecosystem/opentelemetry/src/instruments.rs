//! Instruments for the metrics of wsrt's runtimes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter};
use wsrt::runtime::{Handle, LatencyHistogram, Metrics, RuntimeMetrics};
use wsrt_metrics::__figures::{FIGURES, Figure, Kind, Value, counts, names};

/// Registers instruments for the metrics of `runtimes` with `meter`, whose provider collects them
/// for as long as it lasts.
///
/// The [figures] are those that wsrt-metrics publishes for Prometheus. Their names follow
/// OpenTelemetry: `wsrt_busy_seconds_total` is the counter `wsrt.busy` with the unit `s`, from
/// which an exporter for Prometheus makes the first name again. Labels are attributes, and each
/// series has the attribute `runtime`: the runtime's name, or its id if it has none.
///
/// OpenTelemetry has no histogram whose counts are kept elsewhere. A histogram is therefore three
/// counters: `wsrt.poll_time.count`, `wsrt.poll_time.sum`, and `wsrt.poll_time.bucket` with the
/// attribute `le`, the bucket's upper bound in seconds, which counts the samples up to that bound.
///
/// The instruments do not keep the runtimes alive. A collection reads each runtime once.
///
/// [figures]: https://docs.rs/wsrt/latest/wsrt/guide/metrics/
///
/// # Examples
///
/// ```
/// use opentelemetry::metrics::MeterProvider;
/// use opentelemetry_sdk::metrics::SdkMeterProvider;
/// use wsrt::runtime::Runtime;
///
/// let runtime = Runtime::new()?;
/// // with a reader and its exporter
/// let provider = SdkMeterProvider::builder().build();
/// wsrt_opentelemetry::observe(&provider.meter("wsrt"), &[runtime.handle().clone()]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn observe(meter: &Meter, runtimes: &[Handle]) {
    let runtimes = names(runtimes).into_iter().zip(runtimes.iter().map(Handle::metrics)).collect();
    let snapshots = Arc::new(Snapshots { runtimes, last: Mutex::new(None) });
    for figure in &FIGURES {
        if figure.kind == Kind::Histogram {
            observe_histogram(meter, figure, &snapshots);
        } else {
            observe_number(meter, figure, &snapshots);
        }
    }
}

/// How long a snapshot is current: the instruments of one collection share it.
const CURRENT: Duration = Duration::from_millis(50);

/// The snapshots of the runtimes, with their names.
type Taken = Arc<Vec<(String, Metrics)>>;

/// The runtimes, and the last snapshots of them.
struct Snapshots {
    runtimes: Vec<(String, RuntimeMetrics)>,
    last: Mutex<Option<(Instant, Taken)>>,
}

impl Snapshots {
    fn current(&self) -> Taken {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((at, taken)) if at.elapsed() < CURRENT => Arc::clone(taken),
            _ => {
                let take = |(name, runtime): &(String, RuntimeMetrics)| (name.clone(), runtime.snapshot());
                let taken = Arc::new(self.runtimes.iter().map(take).collect());
                *last = Some((Instant::now(), Arc::clone(&taken)));
                taken
            }
        }
    }

    /// Calls `put` with the attributes and the value of each series of a figure.
    fn each_series(&self, figure: &Figure, mut put: impl FnMut(Vec<KeyValue>, Value)) {
        for (runtime, metrics) in &*self.current() {
            figure.each_series(metrics, &mut |labels, value| {
                let mut attributes = vec![KeyValue::new("runtime", runtime.clone())];
                attributes.extend(labels.iter().map(|(name, value)| KeyValue::new(*name, (*value).to_owned())));
                put(attributes, value);
            });
        }
    }

    /// Calls `put` with the attributes and the value of each series of a histogram.
    fn each_histogram(&self, figure: &Figure, mut put: impl FnMut(&[KeyValue], &LatencyHistogram)) {
        self.each_series(figure, |attributes, value| {
            if let Value::Durations(histogram) = value {
                put(&attributes, &histogram);
            }
        });
    }
}

/// Returns a figure's name in OpenTelemetry, and whether its unit is the second.
fn name_of(figure: &Figure) -> (String, bool) {
    let name = figure.name.trim_end_matches("_total");
    let (name, is_time) = name.strip_suffix("_seconds").map_or((name, false), |name| (name, true));
    (name.replacen('_', ".", 1), is_time)
}

fn observe_number(meter: &Meter, figure: &'static Figure, snapshots: &Arc<Snapshots>) {
    let (name, is_time) = name_of(figure);
    let snapshots = Arc::clone(snapshots);
    // Each instrument of a unit has a type of its own.
    macro_rules! build {
        ($builder:expr, $variant:ident, $number:expr) => {{
            let callback = move |instrument: &dyn AsyncInstrument<_>| {
                snapshots.each_series(figure, |attributes, value| {
                    if let Value::$variant(value) = value {
                        instrument.observe($number(value), &attributes);
                    }
                });
            };
            let _ = $builder.with_description(figure.about).with_callback(callback).build();
        }};
    }
    let seconds = |duration: Duration| duration.as_secs_f64();
    let count = |count: u64| count;
    match (figure.kind, is_time) {
        (Kind::Counter, true) => build!(meter.f64_observable_counter(name).with_unit("s"), Seconds, seconds),
        (Kind::Counter, false) => build!(meter.u64_observable_counter(name), Count, count),
        (_, true) => build!(meter.f64_observable_gauge(name).with_unit("s"), Seconds, seconds),
        (_, false) => build!(meter.u64_observable_gauge(name), Count, count),
    }
}

fn observe_histogram(meter: &Meter, figure: &'static Figure, snapshots: &Arc<Snapshots>) {
    let (name, _) = name_of(figure);
    let count = meter.u64_observable_counter(format!("{name}.count")).with_description(figure.about);
    let of = Arc::clone(snapshots);
    let observe = move |count: &dyn AsyncInstrument<u64>| {
        of.each_histogram(figure, |attributes, histogram| count.observe(histogram.count(), attributes));
    };
    let _ = count.with_callback(observe).build();

    let sum = meter.f64_observable_counter(format!("{name}.sum")).with_description(figure.about).with_unit("s");
    let of = Arc::clone(snapshots);
    let observe = move |sum: &dyn AsyncInstrument<f64>| {
        of.each_histogram(figure, |attributes, histogram| sum.observe(histogram.sum().as_secs_f64(), attributes));
    };
    let _ = sum.with_callback(observe).build();

    let bucket = meter.u64_observable_counter(format!("{name}.bucket")).with_description(figure.about);
    let of = Arc::clone(snapshots);
    let observe = move |bucket: &dyn AsyncInstrument<u64>| {
        of.each_histogram(figure, |attributes, histogram| {
            for (bound, count) in counts(histogram) {
                let mut attributes = attributes.to_vec();
                attributes.push(KeyValue::new("le", bound));
                bucket.observe(count, &attributes);
            }
        });
    };
    let _ = bucket.with_callback(observe).build();
}
