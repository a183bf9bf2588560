//! Holds the code that `build.rs` generates. The rest is tests: see `tests`.

/// The messages, client and server of `greeter.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]
pub mod greeter {
    tonic::include_proto!("greeter");
}
