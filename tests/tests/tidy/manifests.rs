//! The arrows between crates: which of the workspace's crates each may depend on.

use crate::ledger::Finding;
use crate::tree::Document;

/// Each published crate, and the programs beside them, with those below it. Crates in other folders
/// may use all.
const BELOW: [(&str, &[&str]); 13] = [
    (
        "executor",
        &["wsrt-reactor", "wsrt-sync", "wsrt-macros", "wsrt-stack", "wsrt-trace", "wsrt-world", "wsrt-schedule"],
    ),
    // Beside the runtime, as `hyper` and `metrics` are: nothing below depends on them.
    ("debug", &["wsrt", "wsrt-metrics", "wsrt-report"]),
    ("hyper", &["wsrt", "wsrt-reactor"]),
    ("macros", &[]),
    ("metrics", &["wsrt"]),
    ("reactor", &["wsrt-sync", "wsrt-schedule"]),
    ("report", &["wsrt-trace"]),
    ("schedule", &[]),
    ("simulate", &[]),
    ("stack", &["wsrt-trace"]),
    ("sync", &["wsrt-macros", "wsrt-schedule"]),
    ("trace", &[]),
    // The simulated world: no task, and no scheduler.
    ("world", &["wsrt-reactor", "wsrt-sync"]),
];

/// The dependencies on crates of the workspace that are not below.
pub(crate) fn upward(manifests: &[Document]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (folder, below) in BELOW {
        let path = format!("{folder}/Cargo.toml");
        let Some(manifest) = manifests.iter().find(|manifest| manifest.path == path) else {
            findings.push(Finding::new(&path, &path, "the crate has gone: correct the list in tidy/manifests.rs"));
            continue;
        };
        for (index, name) in dependencies(&manifest.text) {
            if (name == "wsrt" || name.starts_with("wsrt-")) && !below.contains(&name) {
                let advice = format!("`{folder}` may not depend on `{name}`, which is not below it: pass a trait");
                findings.push(Finding::new(&path, format!("{path}:{}", index + 1), advice));
            }
        }
    }
    findings
}

/// The dependencies of one published crate on another by a version that others satisfy, too.
pub(crate) fn inexact(manifests: &[Document]) -> Vec<Finding> {
    let is_published = |path: &str| {
        path == "Cargo.toml" || BELOW.iter().any(|(folder, _)| path.strip_suffix("/Cargo.toml") == Some(folder))
    };
    let mut findings = Vec::new();
    for manifest in manifests.iter().filter(|manifest| is_published(&manifest.path)) {
        for (index, line) in manifest.text.lines().enumerate() {
            if line.starts_with("wsrt") && line.contains("version = \"") && !line.contains("version = \"=") {
                let advice = "the crates are released together: write `version = \"=...\"`";
                findings.push(Finding::new(&manifest.path, format!("{}:{}", manifest.path, index + 1), advice));
            }
        }
    }
    findings
}

/// The names in the sections of dependencies, those for tests left out, with their lines.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut is_wanted = false;
    let mut names = Vec::new();
    for (index, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            is_wanted = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if is_wanted && line.starts_with(|first: char| first.is_alphabetic()) {
            names.push((index, line.split([' ', '.', '=']).next().unwrap_or_default()));
        }
    }
    names
}

#[test]
fn a_version_that_others_satisfy_is_found() {
    let text = "wsrt = { path = \"a\", version = \"=0.1.0\" }\nwsrt-sync = { path = \"b\", version = \"0.1.0\" }\n";
    let manifest = |path: &str| Document { path: path.to_owned(), text: text.to_owned() };
    let manifests = ["Cargo.toml", "hyper/Cargo.toml", "ecosystem/quinn/Cargo.toml"].map(manifest);
    let places: Vec<String> = inexact(&manifests).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["Cargo.toml:2", "hyper/Cargo.toml:2"]);
}

#[test]
fn a_dependency_on_a_crate_above_is_found() {
    let manifest = |folder: &str, text: &str| Document { path: format!("{folder}/Cargo.toml"), text: text.to_owned() };
    let manifests = [
        manifest(
            "reactor",
            "[dependencies]\nmio.workspace = true\nwsrt.workspace = true\n[dev-dependencies]\nwsrt-trace = \"1\"\n",
        ),
        manifest("executor", "[target.'cfg(unix)'.dependencies]\nwsrt-reactor = { workspace = true }\n"),
        manifest("debug", "[dependencies]\nwsrt = \"1\"\n"),
        manifest("hyper", "[dependencies]\nwsrt = \"1\"\n"),
        manifest("macros", ""),
        manifest("metrics", ""),
        manifest("report", ""),
        manifest("schedule", ""),
        manifest("simulate", ""),
        manifest("stack", ""),
        manifest("sync", ""),
        manifest("trace", ""),
        manifest("world", ""),
    ];
    let places: Vec<String> = upward(&manifests).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["reactor/Cargo.toml:3"]);
}
