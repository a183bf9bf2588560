//! Checks that a machine cannot make, and the words that say so.

use std::env;
use std::io::{self, Write};

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
