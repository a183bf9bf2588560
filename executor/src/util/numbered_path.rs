//! Numbered paths, for files that are written several times.

use std::path::{Path, PathBuf};

/// Returns `path` with a number inserted before its extension.
pub(crate) fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_number_goes_before_the_extension() {
        assert_eq!(numbered(Path::new("/a/b.perfetto-trace"), 2), Path::new("/a/b-2.perfetto-trace"));
        assert_eq!(numbered(Path::new("b"), 3), Path::new("b-3"));
    }
}
