//! Settings of a runtime that tokio offers under its flag `tokio_unstable`: histograms, and
//! settings that do nothing here. With the variable `WSRT_SCHEDTRACE`, each of the latter says so,
//! once.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::time::Duration;

use wsrt::runtime::__trace::LegacyHistogram;

use super::{Builder, HistogramConfiguration, HistogramScale};

/// A seed for [`Builder::rng_seed`].
#[derive(Clone, Debug)]
pub struct RngSeed {
    _seed: u64,
}

impl RngSeed {
    /// Creates a seed from bytes. The same bytes make the same seed.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::default();
        hasher.write(bytes);
        Self { _seed: hasher.finish() }
    }
}

/// Methods that do nothing, each with the reason.
macro_rules! nothing {
    ($($(#[$about:meta])* $method:ident($($value:ident: $type:ty)?): $why:literal;)*) => {
        impl Builder {$(
            $(#[$about])*
            #[doc = concat!("\n\nDoes nothing: ", $why, ".")]
            pub fn $method(&mut self $(, $value: $type)?) -> &mut Self {
                $(let _ = $value;)?
                self.0.__does_nothing(stringify!($method), $why);
                self
            }
        )*}
    };
}

nothing! {
    /// Accepted for compatibility with tokio.
    disable_lifo_slot(): "a task in a worker's slot for the next task is stolen if it waits there";
    /// Accepted for compatibility with tokio.
    rng_seed(seed: RngSeed): "which thread runs a task is not a matter of random numbers alone; a run that a seed repeats \
                              is a simulation, `wsrt::sim`";
    /// Accepted for compatibility with tokio.
    enable_eager_driver_handoff(): "a thread that waits for I/O hands the waiting on before it runs what has become ready";
    /// Accepted for compatibility with tokio.
    enable_alt_timer(): "each worker has timers of its own already";
    /// Accepted for compatibility with tokio.
    enable_sharded_blocking_queue(): "blocking jobs have one queue";
    /// Accepted for compatibility with tokio.
    enable_io_uring(): "files are read and written by threads of the blocking pool";
}

impl Builder {
    /// Measures how long each poll of a task takes, for the histograms of `RuntimeMetrics`.
    pub fn enable_metrics_poll_time_histogram(&mut self) -> &mut Self {
        self.0.__shown_histograms().polls.is_on = true;
        self
    }

    /// Sets the buckets in which poll times are counted. The default is ten buckets of 100 µs.
    pub fn metrics_poll_time_histogram_configuration(&mut self, configuration: HistogramConfiguration) -> &mut Self {
        self.0.__shown_histograms().polls.configuration = Some(configuration);
        self
    }

    /// Measures how long each task waits to be polled, for hooks and histograms.
    pub fn track_task_schedule_latency(&mut self) -> &mut Self {
        self.0.__shown_histograms().is_every_poll_measured = true;
        self
    }

    /// Measures how long each task waits to be polled, for the histograms of `RuntimeMetrics`.
    pub fn enable_metrics_schedule_latency_histogram(&mut self) -> &mut Self {
        self.0.__shown_histograms().waits.is_on = true;
        self
    }

    /// Sets the buckets in which waits are counted. The default is ten buckets of 100 µs.
    pub fn metrics_schedule_latency_histogram_configuration(
        &mut self,
        configuration: HistogramConfiguration,
    ) -> &mut Self {
        self.0.__shown_histograms().waits.configuration = Some(configuration);
        self
    }
}

/// Old names.
impl Builder {
    fn legacy(&mut self) -> &mut LegacyHistogram {
        self.0.__shown_histograms().polls.legacy.get_or_insert_default()
    }

    /// Measures how long each poll of a task takes.
    #[doc(hidden)]
    #[deprecated(note = "renamed to `enable_metrics_poll_time_histogram`")]
    pub fn enable_metrics_poll_count_histogram(&mut self) -> &mut Self {
        self.enable_metrics_poll_time_histogram()
    }

    /// Sets how the buckets of poll times grow.
    #[deprecated(note = "use `metrics_poll_time_histogram_configuration`")]
    pub fn metrics_poll_count_histogram_scale(&mut self, histogram_scale: HistogramScale) -> &mut Self {
        self.legacy().scale = histogram_scale;
        self
    }

    /// Sets the width of the first bucket of poll times.
    ///
    /// # Panics
    ///
    /// Panics if the width is zero, or more than a second.
    #[track_caller]
    #[deprecated(note = "use `metrics_poll_time_histogram_configuration`")]
    pub fn metrics_poll_count_histogram_resolution(&mut self, resolution: Duration) -> &mut Self {
        let is_allowed = !resolution.is_zero() && resolution <= Duration::from_secs(1);
        assert!(is_allowed, "{resolution:?}: the first bucket of a histogram is wider than 0, and 1 s at most");
        self.legacy().resolution = resolution.as_nanos() as u64;
        self
    }

    /// Sets the number of buckets of poll times.
    #[deprecated(note = "use `metrics_poll_time_histogram_configuration`")]
    pub fn metrics_poll_count_histogram_buckets(&mut self, buckets: usize) -> &mut Self {
        self.legacy().buckets = buckets;
        self
    }
}
