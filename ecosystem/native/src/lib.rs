//! Popular crates on wsrt, without a tokio runtime: see `examples`, one program a file, each to be copied.
//!
//! Here is only what `build.rs` makes of `proto/greeter.proto`.

/// The messages, client and server of `greeter.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]
pub mod greeter {
    tonic::include_proto!("greeter");
}
