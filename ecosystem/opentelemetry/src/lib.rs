//! OpenTelemetry on the wsrt runtime: batches are processed in wsrt tasks, exports are sent by
//! wsrt's pooled HTTP client, and the runtime's own metrics are instruments.
//!
//! | To | pass |
//! |---|---|
//! | process batches of spans, logs and metrics in wsrt tasks | [`OpenTelemetryOnWsrt`] to the processors and readers in the `.._with_async_runtime` modules of the `opentelemetry_sdk` crate |
//! | send the batches over wsrt's sockets | [`HttpOnWsrt`] to the exporter's builder |
//! | export the metrics of wsrt's runtimes | a meter to [`observe`] |
//!
//! The OpenTelemetry crates are built without their tokio features (`rt-tokio`, `reqwest-client`,
//! `grpc-tonic`).
//!
//! Shutting down or flushing a provider blocks the calling thread until the batch has been sent. Do
//! so in [`spawn_blocking`](wsrt::task::spawn_blocking): on a current-thread runtime, nothing else
//! could send the batch, and the call would never return.
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
mod instruments;
mod runtime;

pub use self::http_client::HttpOnWsrt;
pub use self::instruments::observe;
pub use self::runtime::{BatchSender, OpenTelemetryOnWsrt};
