//! Popular crates on wsrt, without a tokio runtime: see `examples`, one program a file, each to be
//! copied.
//!
//! This library holds the code that several of them need: the adapters for crates with a runtime
//! trait of their own, one file each and to be copied too, and the code that `build.rs` generates
//! from `proto/greeter.proto`.

mod hickory_adapter;
mod quinn_adapter;

pub use self::hickory_adapter::HickoryOnWsrt;
pub use self::quinn_adapter::QuinnOnWsrt;

/// The messages, client and server of `greeter.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]
pub mod greeter {
    tonic::include_proto!("greeter");
}
