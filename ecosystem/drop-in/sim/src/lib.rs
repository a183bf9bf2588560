//! Programs written for tokio, which know nothing of the simulation: a shop that takes orders, and
//! its customers; a greeter and its guest; and a post office that sends back everything it
//! receives, and its sender.

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
