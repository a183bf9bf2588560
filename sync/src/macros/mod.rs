//! `select!`, `join!` and the like.

mod join;
mod pin;
mod select;
#[doc(hidden)]
pub mod support;
mod try_join;
