//! Popular crates on wsrt, without a tokio runtime. Each program in `examples` is a single file
//! that you can copy.
//!
//! This library contains the code that `build.rs` generates from `proto/greeter.proto`. Crates that
//! define a runtime trait of their own have adapters in the neighbouring folders: `hickory`,
//! `opentelemetry`, `quinn` and `rdkafka`.

/// The generated messages, client and server of `greeter.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]
pub mod greeter {
    tonic::include_proto!("greeter");
}
