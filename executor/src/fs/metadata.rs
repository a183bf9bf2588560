//! Reads and changes the metadata of files without opening them.

use std::fs::{Metadata, Permissions};
use std::io;
use std::path::Path;

use super::call::on_path;

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
