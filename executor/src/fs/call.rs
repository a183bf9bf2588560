//! The single way in which this module calls a file system: with a path, on a thread of the
//! blocking pool. OS errors are returned unchanged.

use std::io;
use std::path::Path;

use super::file_system::FileSystem;
use crate::io::offload::offload;
use crate::util::world::Cost;

/// Calls `call` with the file system and `path` on a thread of the blocking pool.
pub(super) async fn on_path<T: Send + 'static>(
    caller: &'static str,
    path: &Path,
    call: impl FnOnce(&FileSystem, &Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    on_path_at_cost(caller, path, Cost::Name, call).await
}

/// Calls `call` like [`on_path`]. In a simulation, the call takes the time of a call with this
/// cost.
pub(super) async fn on_path_at_cost<T: Send + 'static>(
    caller: &'static str,
    path: &Path,
    cost: Cost,
    call: impl FnOnce(&FileSystem, &Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (system, path) = (FileSystem::of_current_task()?, path.to_path_buf());
    system.take_time(cost);
    offload(caller, move || call(&system, &path)).await
}
