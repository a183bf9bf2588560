//! The programs on the other side of a connection.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns a command that runs the peer program `name`. If the program is not installed, prints a
/// message and returns `None`.
///
/// # Panics
///
/// Panics in CI if the program is not installed.
#[must_use]
pub fn peer(name: &str) -> Option<Command> {
    match find(name) {
        Some(path) => Some(Command::new(path)),
        None => missing(name),
    }
}

/// Returns a command that runs Python with the given `modules` available. If Python or a module is
/// not installed, prints a message and returns `None`.
///
/// # Panics
///
/// Panics in CI if Python or a module is not installed.
#[must_use]
pub fn python(modules: &[&str]) -> Option<Command> {
    // The system's, which the packages of modules belong to, before any other that is found first.
    let path = Some(PathBuf::from("/usr/bin/python3")).filter(|path| path.is_file()).or_else(|| find("python3"));
    let imports = format!("import {}", modules.join(", "));
    let works = path.clone().is_some_and(|path| {
        let imported = Command::new(path).args(["-c", &imports]).stderr(Stdio::null()).status();
        imported.is_ok_and(|status| status.success())
    });
    if works { path.map(Command::new) } else { missing(&format!("python3 with {}", modules.join(" and "))) }
}

fn missing(what: &str) -> Option<Command> {
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    assert!(
        !is_ci,
        "{what} is not installed, and in CI it has to be: see ecosystem/testing/Cargo.toml for the packages"
    );
    let word =
        format!("\n*** {what} IS NOT INSTALLED: NOTHING WAS TESTED AGAINST IT. See ecosystem/testing/Cargo.toml ***\n");
    // Not by `eprintln!`, whose text the test harness keeps to itself where the test passes.
    let _ = writeln!(io::stderr(), "{word}");
    None
}

fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let here = env::split_paths(&path).map(|folder| folder.join(name));
    // Debian's folder for servers, which is not in every user's path.
    let there = ["/usr/sbin", "/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/15/bin"];
    here.chain(there.map(|folder| Path::new(folder).join(name))).find(|path| path.is_file())
}
