//! Places in source files, by paths that a reader knows.

use std::fmt;
use std::panic::Location;

/// Returns a source file's path without what says nothing to a reader: the folder of cargo's
/// registry, of its git checkouts, or of the standard library's build.
///
/// ```
/// let path = "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/axum-0.8.4/src/serve/mod.rs";
/// assert_eq!(wsrt_trace::place::shortened(path), "axum-0.8.4/src/serve/mod.rs");
/// assert_eq!(wsrt_trace::place::shortened("src/main.rs"), "src/main.rs");
/// ```
pub fn shortened(path: &str) -> &str {
    if let Some(rest) = dependency(path) {
        return rest;
    }
    // Where the compiler's own copy of the sources is installed.
    if let Some((_, rest)) = path.split_once("/rustlib/src/rust/") {
        return rest;
    }
    match path.split_once("/rustc/") {
        // After the hash of the compiler's commit.
        Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, rest)| rest),
        None => path,
    }
}

/// Returns the part of the path below cargo's copies of other packages, if the file is in one.
pub fn dependency(path: &str) -> Option<&str> {
    for folder in ["/registry/src/", "/git/checkouts/"] {
        if let Some((_, rest)) = path.split_once(folder) {
            // After the registry's name, or the repository's.
            return Some(rest.split_once('/').map_or(rest, |(_, rest)| rest));
        }
    }
    None
}

/// A place in a source file, displayed as [`Location`] is, with its path [`shortened`].
#[derive(Debug, Clone, Copy)]
pub struct ShortLocation<'a>(pub &'a Location<'a>);

impl fmt::Display for ShortLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", shortened(self.0.file()), self.0.line(), self.0.column())
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_from_where_a_reader_knows_it() {
        for (path, shown) in [
            ("src/main.rs", "src/main.rs"),
            ("/srv/app/src/main.rs", "/srv/app/src/main.rs"),
            ("/root/.cargo/registry/src/index.crates.io-6f/hyper-1.8.1/src/lib.rs", "hyper-1.8.1/src/lib.rs"),
            ("/root/.cargo/git/checkouts/hyper-0c61/1a2b3c4/src/lib.rs", "1a2b3c4/src/lib.rs"),
            ("/rustc/59807616e1fa/library/std/src/thread/mod.rs", "library/std/src/thread/mod.rs"),
            ("/root/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/lib.rs", "library/core/src/lib.rs"),
            ("", ""),
            ("/registry/src/", ""),
        ] {
            assert_eq!(shortened(path), shown);
        }
    }
}
