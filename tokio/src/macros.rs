//! Names that the macros of other crates expect in this crate.

/// Items that macro-generated code refers to.
pub mod support {
    pub use std::future::{Future, IntoFuture, poll_fn};
    pub use std::pin::Pin;
    pub use std::task::{Context, Poll, ready};
}
