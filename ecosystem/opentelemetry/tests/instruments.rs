//! A collection has each figure of a runtime, with the values of its snapshot.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ResourceMetrics};
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::metrics::{SdkMeterProvider, Temporality};
use wsrt::runtime::Builder;
use wsrt_opentelemetry::observe;

/// The series of the last collection: their values by name, unit and attributes.
#[derive(Clone, Default)]
struct Collected(Arc<Mutex<BTreeMap<String, f64>>>);

impl PushMetricExporter for Collected {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let mut collected = self.0.lock().expect("no panic");
        for metric in metrics.scope_metrics().flat_map(|scope| scope.metrics()) {
            let mut put = |attributes: Vec<String>, value: f64| {
                let series = format!("{} {}{{{}}}", metric.name(), metric.unit(), attributes.join(","));
                collected.insert(series, value);
            };
            macro_rules! points {
                ($points:expr) => {
                    for point in $points {
                        let attribute = |pair: &opentelemetry::KeyValue| format!("{}={}", pair.key, pair.value);
                        let mut attributes: Vec<_> = point.attributes().map(attribute).collect();
                        attributes.sort();
                        put(attributes, point.value() as f64);
                    }
                };
            }
            match metric.data() {
                AggregatedMetrics::U64(MetricData::Sum(sum)) => points!(sum.data_points()),
                AggregatedMetrics::F64(MetricData::Sum(sum)) => points!(sum.data_points()),
                AggregatedMetrics::U64(MetricData::Gauge(gauge)) => points!(gauge.data_points()),
                AggregatedMetrics::F64(MetricData::Gauge(gauge)) => points!(gauge.data_points()),
                _ => panic!("{} is neither a counter nor a gauge", metric.name()),
            }
        }
        Ok(())
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        Temporality::Cumulative
    }
}

#[test]
fn a_collection_has_the_figures_of_each_runtime() {
    let runtime = Builder::new_multi_thread().worker_threads(2).name("requests").site_polls(true).build();
    let runtime = runtime.expect("a runtime");
    for _ in 0..7 {
        runtime.block_on(runtime.spawn(async {})).expect("it does not panic");
    }
    let collected = Collected::default();
    let provider = SdkMeterProvider::builder().with_periodic_exporter(collected.clone()).build();
    observe(&provider.meter("wsrt"), &[runtime.handle().clone()]);
    provider.force_flush().expect("it is exported");
    let series = collected.0.lock().expect("no panic").clone();
    assert_eq!(series.get("wsrt.spawns {runtime=requests}"), Some(&7.0), "{series:#?}");
    assert_eq!(series.get("wsrt.processors {runtime=requests}"), Some(&2.0));
    assert!(series.contains_key("wsrt.busy s{processor=0,runtime=requests}"));
    let of_site = |begin: &str, more: &str| {
        let mut found = series.iter().filter(|(series, _)| series.starts_with(begin) && series.contains(more));
        found.next().map(|(_, value)| *value).unwrap_or_else(|| panic!("no {begin}: {series:#?}"))
    };
    let polls = of_site("wsrt.site_poll_time.count ", "instruments.rs:");
    assert!((1.0..=7.0).contains(&polls), "{polls}");
    assert_eq!(of_site("wsrt.site_poll_time.bucket ", "le=+Inf"), polls);
    assert!(of_site("wsrt.site_poll_time.sum s", "instruments.rs:") > 0.0);
    drop(runtime);
    provider.force_flush().expect("the final values are exported");
}
