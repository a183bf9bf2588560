//! Popular crates on wsrt, without a tokio runtime: see `examples`, one program a file, each to be
//! copied.
//!
//! This library holds the code that `build.rs` generates from `proto/greeter.proto`. Crates with a
//! runtime trait of their own have adapters beside this folder: `hickory`, `opentelemetry`,
//! `quinn`, `rdkafka`.

/// The messages, client and server of `greeter.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]
pub mod greeter {
    tonic::include_proto!("greeter");
}
