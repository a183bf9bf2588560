//! The files of the workspace, read once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::lexer::Source;

/// A file that is not Rust.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Every `.rs` file, but the samples that do not compile: their line numbers are part of the
/// messages beside them, and their names say what they are about.
pub(crate) fn sources() -> &'static [Source] {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let files = files(|path| path.ends_with(".rs") && !path.starts_with("tests/refusals/ui/"));
        files.iter().map(|file| Source::new(&file.path, &file.text)).collect()
    })
}

/// The documents whose quotes are checked.
pub(crate) fn documents() -> &'static [Document] {
    static DOCUMENTS: OnceLock<Vec<Document>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        files(|path| {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            path.ends_with(".md")
                && (matches!(folder, "docs" | "executor/docs") || matches!(path, "README.md" | "CONTRIBUTING.md"))
        })
    })
}

/// The documents whose prose is checked: all.
pub(crate) fn texts() -> &'static [Document] {
    static TEXTS: OnceLock<Vec<Document>> = OnceLock::new();
    TEXTS.get_or_init(|| files(|path| path.ends_with(".md") && !path.starts_with("tests/refusals/ui/")))
}

/// Files beside the sources that documents may quote: manifests, scripts, programs of Python.
pub(crate) fn scripts() -> &'static [Document] {
    static SCRIPTS: OnceLock<Vec<Document>> = OnceLock::new();
    SCRIPTS.get_or_init(|| {
        files(|path| path.starts_with(".ci/") || [".toml", ".py", ".sh", ".go"].iter().any(|end| path.ends_with(end)))
    })
}

/// The manifests of the workspace's crates.
pub(crate) fn manifests() -> &'static [Document] {
    static MANIFESTS: OnceLock<Vec<Document>> = OnceLock::new();
    MANIFESTS.get_or_init(|| files(|path| path.ends_with("/Cargo.toml") && path.matches('/').count() == 1))
}

/// The paths of all files that git tracks, below the root of the workspace, or of all files if git
/// does not track this tree. A file that a developer has just added counts from `git add` on.
pub(crate) fn paths() -> &'static [String] {
    static PATHS: OnceLock<Vec<String>> = OnceLock::new();
    PATHS.get_or_init(|| {
        let mut paths = tracked().unwrap_or_else(|| {
            let mut paths = Vec::new();
            walk(&root(), "", &mut paths);
            paths
        });
        paths.sort();
        paths
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the workspace").to_owned()
}

/// The files that git tracks, unless they were removed from the tree. `None` without git, and in a
/// copy of the tree that lies in another repository.
fn tracked() -> Option<Vec<String>> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().ok()?;
    let paths = String::from_utf8(output.stdout).ok()?;
    let there = paths.split_terminator('\0').filter(|path| root().join(path).is_file()).map(str::to_owned);
    let there: Vec<_> = there.collect();
    (output.status.success() && there.iter().any(|path| path == "tests/Cargo.toml")).then_some(there)
}

fn files(wanted: impl Fn(&str) -> bool) -> Vec<Document> {
    let wanted = paths().iter().filter(|path| wanted(path));
    let read = |path: &String| {
        let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Document { path: path.clone(), text }
    };
    wanted.map(read).collect()
}

/// Collects the files below `folder`, which `prefix` names with a `/` at its end.
fn walk(folder: &Path, prefix: &str, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the sources can be read") {
        let entry = entry.expect("the sources can be read");
        let name = entry.file_name().into_string().expect("names are UTF-8");
        let is_folder = entry.file_type().expect("the sources can be read").is_dir();
        match name.as_str() {
            // Of git and of cargo.
            ".git" | "target" => {}
            _ if is_folder => walk(&entry.path(), &format!("{prefix}{name}/"), paths),
            _ => paths.push(format!("{prefix}{name}")),
        }
    }
}
