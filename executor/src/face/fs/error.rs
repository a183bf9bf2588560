//! Errors that name the path they are about, and the one way in which this module calls the system.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::face::offload::offload;

/// Calls `call` with `path` on a thread of the pool. `action` is what it does, for the error: "open", "remove".
pub(super) async fn on_path<T: Send + 'static>(
    caller: &'static str,
    action: &'static str,
    path: &Path,
    call: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path = path.to_path_buf();
    offload(caller, move || call(&path).map_err(|original| naming(action, path, None, original))).await
}

/// The same with two paths, in an error "cannot {action} {from} to {to}".
pub(super) async fn on_paths<T: Send + 'static>(
    caller: &'static str,
    action: &'static str,
    (from, to): (&Path, &Path),
    call: impl FnOnce(&Path, &Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (from, to) = (from.to_path_buf(), to.to_path_buf());
    offload(caller, move || call(&from, &to).map_err(|original| naming(action, from, Some(to), original))).await
}

/// An error of the system with the paths it is about. The kind stays; the text carries the system's own.
fn naming(action: &'static str, path: PathBuf, to: Option<PathBuf>, original: io::Error) -> io::Error {
    io::Error::new(original.kind(), AboutPath { action, path, to, original })
}

#[derive(Debug)]
struct AboutPath {
    action: &'static str,
    path: PathBuf,
    to: Option<PathBuf>,
    original: io::Error,
}

impl fmt::Display for AboutPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {:?}", self.action, self.path)?;
        if let Some(to) = &self.to {
            write!(f, " to {to:?}")?;
        }
        write!(f, ": {}", self.original)
    }
}

// No `source`: the text above already contains the original's, and a report of the whole chain would say it twice.
impl std::error::Error for AboutPath {}
