//! Names that macros of other crates look for here.

/// Names for the code that macros make.
pub mod support {
    pub use std::future::{Future, IntoFuture, poll_fn};
    pub use std::pin::Pin;
    pub use std::task::{Context, Poll, ready};
}
