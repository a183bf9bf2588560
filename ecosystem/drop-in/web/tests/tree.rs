//! The patch took: one tokio is in the tree, and it is wsrt's.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use wsrt_ecosystem_testing::{Scratch, output_of};

const DOCUMENT: &str = include_str!("../../../../executor/docs/DROP_IN.md");

fn cargo(arguments: &[&str], folder: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.args(arguments).current_dir(folder);
    cargo
}

#[test]
fn one_tokio_is_in_the_tree_and_it_is_ours() {
    let arguments = ["tree", "--workspace", "--locked", "--invert", "tokio", "--depth", "0", "--prefix", "none"];
    // It fails where there are two.
    let said = output_of(cargo(&arguments, Path::new(env!("CARGO_MANIFEST_DIR"))));
    // A crate that build scripts and macros use as well is listed a second time.
    let mut lines: Vec<_> = said.lines().filter(|line| line.starts_with("tokio ")).collect();
    lines.dedup();
    assert!(matches!(lines[..], [tokio] if tokio.starts_with("tokio v1.") && tokio.ends_with("/tokio)")), "{said}");
}

/// The mistake of executor/docs/DROP_IN.md: wsrt with its default features, beside the drop-in.
fn manifest(root: &str) -> String {
    format!(
        r#"
        [package]
        name = "program"
        version = "0.1.0"
        [dependencies]
        tokio = {{ version = "1", features = ["full"] }}
        wsrt = {{ path = "{root}/executor" }}
        [patch.crates-io]
        tokio = {{ path = "{root}/tokio" }}
        [workspace]
        "#
    )
}

#[test]
fn the_document_names_cargo_s_refusal_of_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().expect("it is there");
    let (root, folder) = (root.to_str().expect("a readable name"), Scratch::new());
    let program = folder.path().join("program");
    fs::create_dir_all(program.join("src")).expect("the folder is ours");
    fs::write(program.join("src/main.rs"), "fn main() {}").expect("the folder is ours");
    fs::write(program.join("Cargo.toml"), manifest(root)).expect("the folder is ours");

    let output = cargo(&["generate-lockfile"], &program).output().expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    for refusal in ["cyclic package dependency", "depends on itself"] {
        assert!(said.contains(refusal), "{said}");
    }
    assert!(DOCUMENT.contains("cyclic package dependency"), "executor/docs/DROP_IN.md does not quote\n{said}");
    // cargo's text does not say what to do. The script does.
    let output = Command::new(format!("{root}/tokio/is-used")).current_dir(&program).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("use `tokio::wsrt`"), "{said}");
}
