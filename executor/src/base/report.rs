//! What wsrt itself has to say, on standard error.
//!
//! `eprintln!` panics where that cannot be written, as when the program that read it has gone. Reports come from threads that
//! must not end for that, so what cannot be told is not.

use std::fmt;
use std::io::{self, Write};

/// Writes one line, in one piece.
pub(crate) fn report(text: fmt::Arguments<'_>) {
    let line = format!("wsrt: {text}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}
