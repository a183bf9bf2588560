//! The page: one self-contained HTML document that needs no network and shows everything without
//! scripts.
//!
//! Each section is a file with one idea: a sentence with the finding, a sentence on how to read the
//! picture, and the picture.

mod frame;
mod latency;
mod processors;
mod samples;
mod slowest;
mod stalls;
mod steals;
mod summary;
mod tasks;
mod threads;
mod timeline;
mod waits;

use crate::reading::Report;
use frame::Page;

/// Writes the page as HTML.
pub(crate) fn html(report: &Report) -> String {
    let mut page = Page::begin(report);
    summary::write(&mut page, report);
    timeline::write(&mut page, report);
    processors::write(&mut page, report);
    latency::write(&mut page, report);
    steals::write(&mut page, report);
    slowest::write(&mut page, report);
    tasks::write(&mut page, report);
    samples::write(&mut page, report);
    waits::write(&mut page, report);
    stalls::write(&mut page, report);
    threads::write(&mut page, report);
    page.end(report)
}

/// Writes a page with the CPU samples alone.
pub(crate) fn profile(report: &Report) -> String {
    let mut page = Page::begin(report);
    samples::write_head(&mut page, report);
    samples::write(&mut page, report);
    page.end(report)
}
