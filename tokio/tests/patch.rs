//! What tells a program, or its CI, that it does not run on the drop-in.
#![cfg(feature = "full")]

// As in a program: here it compiles.
use tokio::wsrt as _;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const DROP_IN: &str = env!("CARGO_MANIFEST_DIR");

/// A package that depends on tokio, with `patch` in its manifest.
fn package(name: &str, patch: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/main.rs"), "fn main() {}").unwrap();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dependencies]\ntokio = \"1.54\"\n\n[workspace]\n\n{patch}"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    folder
}

/// Runs the script.
fn is_used(folder: &Path) -> Output {
    run_in(folder, &format!("{DROP_IN}/is-used"), &[])
}

/// Runs a program, with the packages that cargo has on this machine; from the registry, where some
/// are missing.
fn run_in(folder: &Path, program: &str, first: &[&str]) -> Output {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(first).args(arguments).current_dir(folder).env_remove("CARGO_TARGET_DIR");
        command.output().unwrap()
    };
    let offline = run(&["--offline"]);
    let is_missing = String::from_utf8_lossy(&offline.stderr).contains("--offline");
    if is_missing { run(&[]) } else { offline }
}

#[test]
fn a_program_on_the_drop_in_passes() {
    let patched = package("patched", &format!("[patch.crates-io]\ntokio = {{ path = {DROP_IN:?} }}\n"));
    // The versions that the drop-in is built with here.
    fs::copy(format!("{DROP_IN}/Cargo.lock"), patched.join("Cargo.lock")).unwrap();
    let output = is_used(&patched);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("tokio v1."), "{output:?}");
}

/// A crate may ask for a newer tokio than the drop-in is: cargo warns, and builds the real one.
#[test]
fn a_patch_that_cargo_leaves_unused_fails() {
    let old = package("old", "");
    let manifest = "[package]\nname = \"tokio\"\nversion = \"1.47.0\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(old.join("Cargo.toml"), manifest).unwrap();
    fs::write(old.join("src/lib.rs"), "").unwrap();
    let vanished = package("vanished", &format!("[patch.crates-io]\ntokio = {{ path = {old:?} }}\n"));
    let output = is_used(&vanished);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("the patch is not used"), "{output:?}");
}

/// The real tokio has no such item.
#[test]
fn a_program_that_names_wsrt_does_not_compile_on_tokio() {
    let real = package("real", "");
    let manifest = fs::read_to_string(real.join("Cargo.toml")).unwrap();
    let manifest = manifest.replace("\"1.54\"", "{ version = \"1.54\", features = [\"rt\"] }");
    fs::write(real.join("Cargo.toml"), manifest).unwrap();
    fs::write(real.join("src/main.rs"), "use tokio::wsrt as _; fn main() {}").unwrap();
    let output = run_in(&real, env!("CARGO"), &["check"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("unresolved import `tokio::wsrt`"), "{said}");
}
