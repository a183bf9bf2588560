//! The pictures of the guide on the disk: as files beside its pages, for readers of the repository,
//! and as definitions of links in `links.md`, for those of the documentation.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::picture::guide::{data_uri, pictures};

/// The folder of the guide's pages.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../executor/docs"))
}

/// The names of the files below [`folder`], and their contents.
#[must_use]
pub fn files() -> Vec<(String, String)> {
    pictures().into_iter().map(|(name, picture)| (format!("pictures/{name}"), picture)).collect()
}

/// The lines of `links.md` that define the pictures.
#[must_use]
pub fn definitions() -> Vec<String> {
    pictures().into_iter().map(|(name, picture)| format!("[{name}]: {}", data_uri(&picture))).collect()
}

/// Writes the files, and the definitions in the place of the old ones.
///
/// # Errors
///
/// Returns the error of a file that cannot be read or written.
pub fn write() -> io::Result<()> {
    for (name, picture) in files() {
        fs::write(folder().join(name), picture)?;
    }
    let path = folder().join("links.md");
    let links = fs::read_to_string(&path)?;
    let kept = links.lines().filter(|line| !line.contains(".svg]: data:")).map(str::to_owned);
    let lines: Vec<String> = kept.chain(definitions()).collect();
    fs::write(path, lines.join("\n") + "\n")
}
