//! Checks that a machine cannot make, and the words that say so.

use std::env;
use std::io::{self, Write};
use std::process::Command;

/// The compiler whose words the files in `ui/compiler` and `ui/parallel` hold.
const RECORDED: &str = "rustc 1.95.";

/// Says that `check` was not made, and why. Past the test harness, which keeps to itself what a
/// passing test prints by `eprintln!`.
///
/// # Panics
///
/// Panics where `CI` is `true`: `.ci/run` leaves such a check out by its name, or it fails.
#[track_caller]
pub fn not_checked(check: &str, why: &str) {
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci, "{check}: not checked, and in CI it has to be: {why}");
    let _ = writeln!(io::stderr(), "\n*** NOT CHECKED: {check}: {why} ***");
}

/// Whether the compiler is the one whose words are recorded. Says so if it is another.
///
/// # Panics
///
/// Panics if it is another, in CI: the words of a new compiler have to be recorded.
#[track_caller]
pub fn has_recorded_compiler(check: &str) -> bool {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output().expect("there is a compiler");
    let version = String::from_utf8(output.stdout).expect("a version is text");
    let is_recorded = version.starts_with(RECORDED);
    if !is_recorded {
        not_checked(check, &format!("the messages are those of {RECORDED}*, and this is {}", version.trim()));
    }
    is_recorded
}
