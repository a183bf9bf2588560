//! Each published package carries its licence texts, a README and its description.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const PUBLISHED: [&str; 13] = [
    "executor", "debug", "hyper", "macros", "metrics", "reactor", "report", "schedule", "simulate", "stack", "sync",
    "trace", "world",
];
/// Those of the workspace `ecosystem`.
const ADAPTERS: [&str; 4] = ["hickory", "opentelemetry", "quinn", "rdkafka"];

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn each_package_has_licences_readme_and_description() {
    let root = Path::new(ROOT);
    let adapters = ADAPTERS.map(|adapter| format!("ecosystem/{adapter}"));
    for package in PUBLISHED.into_iter().chain(adapters.iter().map(String::as_str)) {
        let folder = root.join(package);
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(read(folder.join(licence)) == read(root.join(licence)), "{package}: another {licence}");
        }
        let manifest = read(folder.join("Cargo.toml"));
        for key in
            ["description = ", "license.workspace", "repository.workspace", "rust-version.workspace", "categories"]
        {
            assert!(manifest.contains(&format!("\n{key}")), "{package}: no {key}");
        }
        let readme = if manifest.contains("readme = \"../README.md\"") { root } else { &folder };
        assert!(readme.join("README.md").is_file(), "{package}: no README.md");
    }
}

#[test]
fn every_member_is_published_or_says_that_it_is_not() {
    check_members(Path::new(ROOT), &PUBLISHED);
    check_members(&Path::new(ROOT).join("ecosystem"), &ADAPTERS);
}

fn check_members(root: &Path, published: &[&str]) {
    let workspace = read(root.join("Cargo.toml"));
    let (_, members) = workspace.split_once("members = [").expect("it has members");
    let (members, _) = members.split_once(']').expect("a list ends");
    for member in members.split(',').map(|member| member.trim().trim_matches('"')) {
        let manifest = read(root.join(member).join("Cargo.toml"));
        let is_published = !manifest.contains("\npublish = false") && !manifest.contains("\npublish.workspace");
        assert_eq!(is_published, published.contains(&member), "{member}");
    }
}
