//! `tokio/is-used` tells whether a workspace runs on the drop-in.
#![cfg(feature = "full")]

use std::fs;
use std::path::PathBuf;
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

/// Runs the script, with the packages that cargo has on this machine; from the registry, where some
/// are missing.
fn is_used(folder: &PathBuf) -> Output {
    let run = |arguments: &[&str]| {
        Command::new(format!("{DROP_IN}/is-used")).args(arguments).current_dir(folder).output().unwrap()
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
