//! A folder for one test.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A new, empty folder. Removed when dropped, with all that is in it.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one with a short path, since paths of Unix sockets are limited.
    ///
    /// # Panics
    ///
    /// Panics if the OS refuses.
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

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path that a file of this name has or would have in it.
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
