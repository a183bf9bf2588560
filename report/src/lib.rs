//! A trace of wsrt's scheduler, as one page to look at.
//!
//! ```text
//! WSRT_TRACE=run.perfetto-trace ./server
//! wsrt-report run.perfetto-trace        # writes run.perfetto-trace.html
//! ```
//!
//! This crate is the program `wsrt-report`; its library is there for the program and its tests, and
//! may change.
//!
//! From the file to the page, each floor knows those before it and none behind: [`wsrt_trace`]
//! makes packets of bytes and events of packets; `aggregate` makes sums, bins and buckets of
//! events, so that memory does not grow with the file; [`cli`] reads a command line and a file, and
//! `page` writes the drawings of `charts`. The file is read once and may be a pipe.

#![forbid(unsafe_code)]

use std::error::Error;

mod aggregate;
mod charts;
pub mod cli;
mod numbers;
mod page;
mod reading;
mod text;

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

/// The message to the user when the work cannot be done.
pub type Failure = Box<dyn Error + Send + Sync>;
