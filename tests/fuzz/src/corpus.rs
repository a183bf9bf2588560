//! Corpora: the inputs that mutation begins with.

use std::fs;
use std::path::{Path, PathBuf};

/// Inputs, and words that often mean something in them.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// Whole inputs.
    pub inputs: Vec<Vec<u8>>,
    /// Parts of inputs.
    pub words: Vec<Vec<u8>>,
}

/// Reads the corpus `name`: the files of its folder are the inputs, in the order of their names,
/// and each line of a file whose name begins with `lines` is one.
///
/// # Panics
///
/// Panics if it cannot be read, or is empty.
#[must_use]
pub fn corpus(name: &str, words: &[&str]) -> Corpus {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut inputs = Vec::new();
    for file in files {
        let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let is_of_lines = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lines"));
        match is_of_lines {
            true => inputs.extend(bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec)),
            false => inputs.push(bytes),
        }
    }
    assert!(!inputs.is_empty(), "{} has no inputs", folder.display());
    Corpus { inputs, words: words.iter().map(|word| word.as_bytes().to_vec()).collect() }
}
