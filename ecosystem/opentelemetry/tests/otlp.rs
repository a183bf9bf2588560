//! OpenTelemetry on wsrt's tasks, timers and sockets, against a collector written in Python.

use std::collections::BTreeSet;

use wsrt_ecosystem_testing::{Running, WITHOUT_TOKIO, example, output_of, python};

#[test]
fn a_collector_receives_the_spans_of_every_task() {
    let Some(mut collector) = python(&["http.server", "json"]) else { return };
    collector.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/collector.py"));
    let mut collector = Running::start(collector);
    let url = format!("http://{}", collector.line_after("listening on "));

    let mut service = example(WITHOUT_TOKIO, "otlp_export").command();
    service.arg(&url);
    assert_eq!(output_of(service), "the sum is 4950, and its spans are sent\n");
    let spans: BTreeSet<String> = (0..100).map(|_| collector.line_after("span wsrt-example ")).collect();
    assert_eq!(spans, (0..100).map(|number| format!("task {number}")).collect());
}
