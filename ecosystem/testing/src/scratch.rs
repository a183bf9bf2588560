//! A temporary folder for one test.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A temporary folder that is initially empty. Dropping this value removes the folder with
/// everything in it.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates a folder with a short path, because the length of Unix socket paths is limited.
    ///
    /// # Panics
    ///
    /// Panics if the folder cannot be created.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default value should cost nothing")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let name = format!("wsrt-{}-{}", process::id(), NEXT.fetch_add(1, Relaxed));
            let path = env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Self(path),
                // A killed process, whose number this one has got, has left its own behind.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the file `name` in this folder, whether or not the file exists.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the system's folder for such things has a readable name").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it cannot be removed, the OS cleans it up some time.
        let _ = fs::remove_dir_all(&self.0);
    }
}
