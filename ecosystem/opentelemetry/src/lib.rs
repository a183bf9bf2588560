//! OpenTelemetry on the wsrt runtime: its batches are tasks, and exports go over wsrt's pooled HTTP
//! client.
//!
//! | to | pass |
//! |---|---|
//! | batch spans, logs and metrics in tasks of wsrt's | [`OpenTelemetryOnWsrt`] to the processors and readers `.._with_async_runtime` of the crate opentelemetry_sdk |
//! | send them over wsrt's sockets | [`HttpOnWsrt`] to the exporter's builder |
//!
//! The crates are built without their features for tokio (`rt-tokio`, `reqwest-client`,
//! `grpc-tonic`).
//!
//! Shutting a provider down, or flushing it, blocks the calling thread until the batch is sent. Do
//! it in [`spawn_blocking`](wsrt::task::spawn_blocking): on a current-thread runtime nothing would
//! send the batch otherwise, and the call would not return.
//!
//! # Examples
//!
//! ```
//! use opentelemetry::trace::{Tracer, TracerProvider};
//! use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
//! use opentelemetry_sdk::trace::SdkTracerProvider;
//! use opentelemetry_sdk::trace::span_processor_with_async_runtime::BatchSpanProcessor;
//! use wsrt_opentelemetry::{HttpOnWsrt, OpenTelemetryOnWsrt};
//!
//! #[wsrt::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//!     let exporter = SpanExporter::builder()
//!         .with_http()
//!         .with_http_client(HttpOnWsrt::new())
//!         .with_endpoint("http://127.0.0.1:4318/v1/traces")
//!         .build()?;
//!     let batches = BatchSpanProcessor::builder(exporter, OpenTelemetryOnWsrt).build();
//!     let provider = SdkTracerProvider::builder().with_span_processor(batches).build();
//!     // `provider.tracer("service").in_span("work", |_| ..)`
//!     # let _: () = drop(provider.tracer("service"));
//!     wsrt::task::spawn_blocking(move || provider.shutdown()).await??;
//!     Ok(())
//! }
//! ```

mod http_client;
mod runtime;

pub use self::http_client::HttpOnWsrt;
pub use self::runtime::{BatchSender, OpenTelemetryOnWsrt};
