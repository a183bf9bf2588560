//! The one way in which this module calls the OS: with a path, on a thread of the blocking pool. OS
//! errors are returned unchanged.

use std::io;
use std::path::Path;

use crate::io::offload::offload;

/// Calls `call` with `path` on a thread of the blocking pool.
pub(super) async fn on_path<T: Send + 'static>(
    caller: &'static str,
    path: &Path,
    call: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path = path.to_path_buf();
    offload(caller, move || call(&path)).await
}
