//! The example programs, as users build them.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Builds the example `name` of package `wsrt-examples` and returns the path of the program.
///
/// # Panics
///
/// Panics if it does not build.
pub fn example(name: &str) -> PathBuf {
    // The whole workspace, so that features are those of `cargo test --workspace`, and nothing is
    // compiled twice.
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.args(["build", "--quiet", "--workspace", "--message-format=json", "--example", name]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit()).output().expect("cargo starts");
    let messages = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the example `{name}` does not build:\n{messages}");

    // One message a line. The last one with an executable is that of the example itself.
    let path = messages.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split('"').next()
    });
    PathBuf::from(path.expect("cargo tells where it has put the example"))
}
