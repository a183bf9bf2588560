//! Reports on standard error.

use std::fmt;
use std::io::{self, Write};

/// Writes one line, in one piece. A write error is ignored, as the executor's reports do.
pub(crate) fn report(text: fmt::Arguments<'_>) {
    let line = format!("wsrt: {text}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}
