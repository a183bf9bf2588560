//! Functions of a path, directories aside: whole files, metadata, links and names.
//!
//! Each calls the file system in the only way that this module has: on a thread of the blocking
//! pool. OS errors are returned unchanged.

use std::fs::{Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::file_system::FileSystem;
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
async fn on_path_at_cost<T: Send + 'static>(
    caller: &'static str,
    path: &Path,
    cost: Cost,
    call: impl FnOnce(&FileSystem, &Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (system, path) = (FileSystem::of_current_task()?, path.to_path_buf());
    system.take_time(cost);
    offload(caller, move || call(&system, &path)).await
}

/// The assumed size in bytes of a file that is read whole, for its simulated duration.
const WHOLE: usize = 4_096;

/// Reads the entire contents of a file into a vector.
///
/// # Errors
///
/// Returns the OS error when the file cannot be opened or read.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let name = wsrt::fs::read("/proc/self/comm").await?;
/// assert_eq!(name.last(), Some(&b'\n'));
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    on_path_at_cost("fs::read", path.as_ref(), Cost::Read(WHOLE), |system, path| system.read(path)).await
}

/// Reads the entire contents of a UTF-8 file into a string.
///
/// # Errors
///
/// Returns the OS error when the file cannot be opened or read, or an error of kind
/// [`InvalidData`](io::ErrorKind::InvalidData) when the contents are not valid UTF-8.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let limits = wsrt::fs::read_to_string("/proc/self/limits").await?;
/// assert!(limits.contains("Max open files"));
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    on_path_at_cost("fs::read_to_string", path.as_ref(), Cost::Read(WHOLE), |system, path| system.read_to_string(path))
        .await
}

/// Writes `contents` to a file. Creates the file if it does not exist, and replaces its previous
/// contents if it does. The blocking pool works on a copy of `contents`.
///
/// # Errors
///
/// Returns the OS error when the file cannot be opened or written. After an error, the file may
/// exist with only part of the contents.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not write the file. A write that has begun completes.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-write-{}", std::process::id()));
/// wsrt::fs::write(&path, "contents").await?;
/// assert_eq!(wsrt::fs::read(&path).await?, b"contents");
/// wsrt::fs::remove_file(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let contents = contents.as_ref().to_vec();
    let cost = Cost::Write(contents.len());
    on_path_at_cost("fs::write", path.as_ref(), cost, move |system, path| system.write(path, &contents)).await
}

/// Copies the contents and permissions of the file `from` to `to`, and returns the number of bytes
/// copied. An existing file at `to` is overwritten.
///
/// # Errors
///
/// Returns the OS error when `from` cannot be opened or read, or `to` cannot be created or written.
/// After an error, `to` may exist with only part of the contents.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not make the copy. A copy that has begun completes.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// # let path = std::env::temp_dir().join(format!("wsrt-copy-{}", std::process::id()));
/// # let second = path.with_extension("second");
/// wsrt::fs::write(&path, "contents").await?;
/// assert_eq!(wsrt::fs::copy(&path, &second).await?, 8);
/// # wsrt::fs::remove_file(&path).await?;
/// # wsrt::fs::remove_file(&second).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    let to = to.as_ref().to_path_buf();
    on_path_at_cost("fs::copy", from.as_ref(), Cost::Read(WHOLE), move |system, from| system.copy(from, &to)).await
}

/// Returns the type, length, permissions and timestamps of a file or directory. Follows symbolic
/// links.
///
/// # Errors
///
/// Returns the OS error when the path does not exist, or the OS refuses the call.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// assert!(wsrt::fs::metadata("/").await?.is_dir());
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    on_path("fs::metadata", path.as_ref(), |system, path| system.metadata(path)).await
}

/// Returns metadata like [`metadata`], but does not follow symbolic links: for a link, the metadata
/// describes the link itself.
///
/// # Errors
///
/// Returns the OS error when the path does not exist, or the OS refuses the call.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// assert!(wsrt::fs::symlink_metadata("/proc/self").await?.is_symlink());
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    on_path("fs::symlink_metadata", path.as_ref(), |system, path| system.symlink_metadata(path)).await
}

/// Returns whether the path exists. A symbolic link whose target is missing counts as missing.
///
/// Another process may create or remove the path at any time, so the answer may be outdated.
///
/// # Errors
///
/// Returns the OS error when existence cannot be determined, for example because a parent directory
/// may not be searched.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// assert!(wsrt::fs::try_exists("/dev/null").await?);
/// assert!(!wsrt::fs::try_exists("/dev/nil").await?);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn try_exists(path: impl AsRef<Path>) -> io::Result<bool> {
    on_path("fs::try_exists", path.as_ref(), |system, path| system.exists(path)).await
}

/// Changes the permissions of a file or directory.
///
/// # Errors
///
/// Returns the OS error when the path does not exist, or the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-permissions-{}", std::process::id()));
/// wsrt::fs::write(&path, "contents").await?;
/// let mut permissions = wsrt::fs::metadata(&path).await?.permissions();
/// permissions.set_readonly(true);
/// wsrt::fs::set_permissions(&path, permissions).await?;
/// assert!(wsrt::fs::metadata(&path).await?.permissions().readonly());
/// wsrt::fs::remove_file(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn set_permissions(path: impl AsRef<Path>, permissions: Permissions) -> io::Result<()> {
    on_path("fs::set_permissions", path.as_ref(), move |system, path| system.set_permissions(path, permissions)).await
}

/// Renames a file or directory within one file system. Replaces an existing file at `to`.
///
/// # Errors
///
/// Returns the OS error when `from` does not exist, when `to` is on another file system (kind
/// [`CrossesDevices`](io::ErrorKind::CrossesDevices)), or when the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-rename-{}", std::process::id()));
/// wsrt::fs::write(&path, "contents").await?;
/// let other = path.with_extension("renamed");
/// wsrt::fs::rename(&path, &other).await?;
/// assert_eq!(wsrt::fs::read(&other).await?, b"contents");
/// wsrt::fs::remove_file(&other).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let to = to.as_ref().to_path_buf();
    on_path("fs::rename", from.as_ref(), move |system, from| system.rename(from, &to)).await
}

/// Removes a file from its directory. Handles that are already open can still use the file.
///
/// # Errors
///
/// Returns the OS error when the path does not exist or is a directory, or the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-remove-file-{}", std::process::id()));
/// wsrt::fs::write(&path, "contents").await?;
/// wsrt::fs::remove_file(&path).await?;
/// let error = wsrt::fs::remove_file(&path).await.unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::remove_file", path.as_ref(), |system, path| system.remove_file(path)).await
}

/// Creates a hard link: `to` becomes a second name of the file `from`. Both paths must be on the
/// same file system.
///
/// # Errors
///
/// Returns the OS error when `from` does not exist, `to` already exists, or the OS refuses the
/// call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-hard-link-{}", std::process::id()));
/// wsrt::fs::write(&path, "contents").await?;
/// let second = path.with_extension("second");
/// wsrt::fs::hard_link(&path, &second).await?;
/// wsrt::fs::remove_file(&path).await?;
/// assert_eq!(wsrt::fs::read(&second).await?, b"contents");
/// wsrt::fs::remove_file(&second).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn hard_link(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let to = to.as_ref().to_path_buf();
    on_path("fs::hard_link", from.as_ref(), move |system, from| system.hard_link(from, &to)).await
}

/// Creates the symbolic link `to`, which points to `from`. The path `from` need not exist.
/// Available on Unix only.
///
/// # Errors
///
/// Returns the OS error when `to` already exists, or the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let link = std::env::temp_dir().join(format!("wsrt-symlink-{}", std::process::id()));
/// wsrt::fs::symlink("/nowhere", &link).await?;
/// assert_eq!(wsrt::fs::read_link(&link).await?.to_str(), Some("/nowhere"));
/// wsrt::fs::remove_file(&link).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[cfg(unix)]
pub async fn symlink(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let to = to.as_ref().to_path_buf();
    on_path("fs::symlink", from.as_ref(), move |system, from| system.symlink(from, &to)).await
}

/// Returns the path that a symbolic link points to.
///
/// # Errors
///
/// Returns the OS error when the path does not exist or is not a symbolic link, or the OS refuses
/// the call.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let program = wsrt::fs::read_link("/proc/self/exe").await?;
/// assert_eq!(program, std::env::current_exe()?);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn read_link(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    on_path("fs::read_link", path.as_ref(), |system, path| system.read_link(path)).await
}

/// Returns the absolute form of the path, with symbolic links, `.` and `..` resolved.
///
/// # Errors
///
/// Returns the OS error when the path does not exist, or the OS refuses the call.
///
/// # Cancel safety
///
/// This call is cancel safe: nothing is modified.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// assert_eq!(wsrt::fs::canonicalize("/dev/../dev/./null").await?.to_str(), Some("/dev/null"));
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    on_path("fs::canonicalize", path.as_ref(), |system, path| system.canonicalize(path)).await
}
