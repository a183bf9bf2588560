//! The interface of tokio, on wsrt's scheduler.
//!
//! A program that has this crate in the place of tokio, by `[patch.crates-io]`, runs with all of its
//! dependencies on wsrt's processors.

pub mod io;
