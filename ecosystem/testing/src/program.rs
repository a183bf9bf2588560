//! The example programs, built in the way that users build them.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::Running;

/// An example program that has been built.
#[derive(Debug)]
pub struct Example(PathBuf);

/// Builds the example `name` as cargo does in `folder`, which is either the test's
/// `env!("CARGO_MANIFEST_DIR")` or [`WITHOUT_TOKIO`](super::WITHOUT_TOKIO).
///
/// # Panics
///
/// Panics if the example does not build.
#[must_use]
pub fn example(folder: &str, name: &str) -> Example {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.args(["build", "--quiet", "--message-format=json", "--example", name]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    forget_the_test(&mut cargo);
    let output = cargo.current_dir(folder).stderr(Stdio::inherit()).output().expect("cargo starts");
    let messages = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the example `{name}` does not build:\n{messages}");

    // One message a line. The last one with an executable is that of the example itself.
    let path = messages.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split('"').next()
    });
    Example(path.expect("cargo tells where it has put the example").into())
}

/// Removes the variables that cargo sets for a test: some build scripts read them, and would be
/// rebuilt each time.
fn forget_the_test(cargo: &mut Command) {
    const OF_THE_TEST: [&str; 4] = ["CARGO_BIN_", "CARGO_MANIFEST_", "CARGO_PKG_", "OUT_DIR"];
    for (name, _) in env::vars_os() {
        if OF_THE_TEST.iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes())) {
            cargo.env_remove(name);
        }
    }
}

impl Example {
    /// Returns a command that runs the example.
    #[must_use]
    pub fn command(&self) -> Command {
        Command::new(&self.0)
    }

    /// Starts the example with `arguments`, waits until it prints its address, and returns the
    /// running program together with the address.
    ///
    /// # Panics
    ///
    /// Panics if the example prints no address.
    #[must_use]
    pub fn serve(&self, arguments: &[&str]) -> (Running, String) {
        let mut command = self.command();
        command.args(arguments);
        let mut running = Running::start(command);
        let address = running.line_after("listening on ");
        (running, address)
    }
}
