//! What is known of a file without opening it.

use std::fs::{Metadata, Permissions};
use std::io;
use std::path::Path;

use super::call::on_path;

/// Returns a file's kind, length, permissions and times. Symbolic links are followed.
///
/// # Errors
///
/// When it is not there, or the system refuses.
///
/// # Cancel safety
///
/// Cancel safe: looking changes nothing.
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
    on_path("fs::metadata", path.as_ref(), |path| std::fs::metadata(path)).await
}

/// As [`metadata`], of the symbolic link itself where the path is one.
///
/// # Errors
///
/// When it is not there, or the system refuses.
///
/// # Cancel safety
///
/// Cancel safe: looking changes nothing.
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
    on_path("fs::symlink_metadata", path.as_ref(), |path| std::fs::symlink_metadata(path)).await
}

/// Tells whether there is something with this path. A symbolic link that leads nowhere counts as
/// nothing.
///
/// It may be gone or have come by the time this returns.
///
/// # Errors
///
/// When the system does not tell, as in a directory that may not be searched.
///
/// # Cancel safety
///
/// Cancel safe: looking changes nothing.
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
    on_path("fs::try_exists", path.as_ref(), Path::try_exists).await
}

/// Sets the permissions of a file or directory.
///
/// # Errors
///
/// When it is not there, or the system refuses.
///
/// # Cancel safety
///
/// Not cancel safe: dropped while it waits, it leaves open whether it happens.
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
    on_path("fs::set_permissions", path.as_ref(), |path| std::fs::set_permissions(path, permissions)).await
}
