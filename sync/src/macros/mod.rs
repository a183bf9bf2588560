//! The macros `select!`, `join!`, `try_join!` and `pin!`.

mod join;
mod pin;
mod select;
#[doc(hidden)]
pub mod support;
mod try_join;
