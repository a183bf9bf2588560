//! The programs from outside: their command lines, their output, and where their files go.

use std::path::{Path, PathBuf};
use std::process::Output;

/// Returns a directory for the files of one test.
pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Makes sure that the program succeeded, and returns its standard output.
#[track_caller]
pub(crate) fn succeeded(output: &Output) -> String {
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}\n{}", text(&output.stderr));
    printed
}

/// Makes sure that the program failed, and returns its complaint.
#[track_caller]
pub(crate) fn failed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    text(&output.stderr)
}
