//! Prints reports to standard error.

use std::fmt;
use std::io::{self, Write};

/// Writes one line to standard error in a single write. Write errors are ignored.
pub(crate) fn report(text: fmt::Arguments<'_>) {
    let line = format!("wsrt: {text}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}
