//! Directories of a test's own.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A directory of a test's own, removed with its content when this is dropped.
#[derive(Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// Makes a directory.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be made.
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Directory {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        loop {
            let name = format!("wsrt-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Directory(path),
                // A killed process, whose number this one has got, has left its own behind.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("a directory can be made at {}: {error}", path.display()),
            }
        }
    }

    /// Returns its own path, which is short: paths of Unix sockets are limited.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// Returns the path of `name` in the directory.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
