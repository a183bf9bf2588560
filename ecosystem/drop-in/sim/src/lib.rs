//! Programs for tokio, which know of no simulation: a shop that takes orders, and its customers; a
//! greeter and its guest; a post office, which sends back what it gets, and its sender.

pub mod certificate;
pub mod customer;
pub mod greeter;
pub mod guest;
pub mod post;
pub mod sender;
pub mod shop;

#[allow(missing_docs, unreachable_pub, clippy::all, reason = "tonic generates it")]
mod proto {
    tonic::include_proto!("greeter");
}
