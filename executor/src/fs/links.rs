//! Renames and removes files, and creates and reads links.

use std::io;
use std::path::{Path, PathBuf};

use super::call::on_path;

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
