//! OpenTelemetry on wsrt: a hundred tasks have a span each, which go to a collector in batches.
//! `cargo run --release --example otlp_export -- http://127.0.0.1:4318`

use std::env;
use std::error::Error;

use opentelemetry::trace::{Tracer, TracerProvider};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use opentelemetry_sdk::trace::span_processor_with_async_runtime::BatchSpanProcessor;
use wsrt::task::{JoinSet, spawn_blocking};
use wsrt_opentelemetry::{HttpOnWsrt, OpenTelemetryOnWsrt};

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let collector = env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:4318".into());
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(HttpOnWsrt::new())
        .with_protocol(Protocol::HttpJson)
        .with_endpoint(format!("{collector}/v1/traces"))
        .build()?;
    let batches = BatchSpanProcessor::builder(exporter, OpenTelemetryOnWsrt).build();
    let provider = SdkTracerProvider::builder()
        .with_span_processor(batches)
        .with_resource(Resource::builder_empty().with_service_name("wsrt-example").build())
        .build();

    let mut tasks = JoinSet::new();
    for number in 0..100 {
        let tracer = provider.tracer("example");
        tasks.spawn(async move { tracer.in_span(format!("task {number}"), |_| number) });
    }
    let sum: u32 = tasks.join_all().await.into_iter().sum();
    // It blocks its thread until the last batch is sent.
    spawn_blocking(move || provider.shutdown()).await??;
    println!("the sum is {sum}, and its spans are sent");
    Ok(())
}
