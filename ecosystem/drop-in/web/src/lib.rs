//! Tools for the tests in `tests`.

mod certificate;
mod greeting;
mod requests;
mod server;

pub use self::certificate::Certificate;
pub use self::greeting::Polite;
pub use self::requests::{curl, get};
pub use self::server::Server;

/// The program in `executor/docs/DROP_IN.md` that uses both crate names, `wsrt` and `tokio`.
#[cfg(doctest)]
#[doc = include_str!("../../../../executor/docs/DROP_IN.md")]
pub struct DropIn;

/// The generated messages, client and server of `greeter.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]
pub mod greeter {
    tonic::include_proto!("greeter");
}
