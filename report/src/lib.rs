//! Turns a trace of wsrt's scheduler into a single HTML page.
//!
//! ```text
//! WSRT_TRACE=run.perfetto-trace ./server
//! wsrt-report run.perfetto-trace        # writes run.perfetto-trace.html
//! ```
//!
//! This crate is the program `wsrt-report`. Its library exists for the program, its tests and
//! wsrt-debug, and may change in any release.
//!
//! The crate is layered from the file to the page, and each layer depends only on the layers before
//! it. [`wsrt_trace`] decodes bytes to packets and packets to events. `aggregate` adds the events
//! up in sums, bins and buckets, so that memory use does not grow with the file. [`cli`] reads the
//! command line and the file, and `page` writes the page with the drawings of `charts`. The file is
//! read only once and may be a pipe. `dial9` converts the events to another format instead.

#![forbid(unsafe_code)]

use std::error::Error;
use std::io::Read;

mod aggregate;
mod charts;
pub mod cli;
mod dial9;
mod folded;
mod numbers;
mod page;
mod reading;
mod text;

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

use self::reading::Report;
pub use self::text::Escaped;

/// An error whose message tells the user why no report could be made.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Returns the page of the trace that `input` contains, with `name` as its title.
///
/// # Errors
///
/// Returns the error of the read, or the reason why there is nothing to report, in words that
/// follow the trace's name: "is a trace without events: nothing was recorded".
pub fn page(input: impl Read, name: &str) -> Result<String, Failure> {
    Ok(page::html(&read(input, name)?))
}

/// Returns a page with the flame graphs of the trace's CPU samples, with `name` as its title.
///
/// # Errors
///
/// Returns an error in the cases in which [`page()`] does.
pub fn profile(input: impl Read, name: &str) -> Result<String, Failure> {
    Ok(page::profile(&read(input, name)?))
}

/// Returns the trace's CPU samples for tools that draw flame graphs: a line for each stack, with
/// its spawn site, the functions from the outermost to the innermost, and the number of samples.
///
/// # Errors
///
/// Returns an error in the cases in which [`page()`] does.
pub fn folded(input: impl Read) -> Result<String, Failure> {
    Ok(folded::lines(&read(input, "")?))
}

fn read(input: impl Read, name: &str) -> Result<Report, Failure> {
    let report = reading::read_from(input, name).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(reading::refuse_other(report)?)
}
