//! Creates and removes directories.

use std::io;
use std::path::Path;

use super::call::on_path;

/// Creates an empty directory.
///
/// # Errors
///
/// Returns the OS error when the path exists, its parent does not, or the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-create-dir-{}", std::process::id()));
/// wsrt::fs::create_dir(&path).await?;
/// assert!(wsrt::fs::create_dir(&path).await.is_err());
/// wsrt::fs::remove_dir(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::create_dir", path.as_ref(), |system, path| system.create_dir(path)).await
}

/// Creates a directory and all of its missing parents. Succeeds if the directory already exists.
///
/// # Errors
///
/// Returns the OS error when a component of the path exists but is not a directory, or the OS
/// refuses the call. Some parents may already have been created when the call fails.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-create-dir-all-{}", std::process::id()));
/// wsrt::fs::create_dir_all(path.join("a/b")).await?;
/// wsrt::fs::create_dir_all(path.join("a/b")).await?;
/// wsrt::fs::remove_dir_all(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::create_dir_all", path.as_ref(), |system, path| system.create_dir_all(path)).await
}

/// Removes an empty directory.
///
/// # Errors
///
/// Returns the OS error when the path does not name an empty directory, or the OS refuses the call.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-remove-dir-{}", std::process::id()));
/// wsrt::fs::create_dir_all(path.join("inner")).await?;
/// let error = wsrt::fs::remove_dir(&path).await.unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::DirectoryNotEmpty);
/// wsrt::fs::remove_dir_all(&path).await?;
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::remove_dir", path.as_ref(), |system, path| system.remove_dir(path)).await
}

/// Removes a directory with everything inside it. Symbolic links are removed, not followed.
///
/// # Errors
///
/// Returns the OS error when the path does not exist or is not a directory, or the OS refuses the
/// call. Part of the contents may already have been removed when the call fails.
///
/// # Cancel safety
///
/// Not cancel safe: a dropped call may or may not take effect.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let path = std::env::temp_dir().join(format!("wsrt-remove-dir-all-{}", std::process::id()));
/// wsrt::fs::create_dir_all(path.join("a/b/c")).await?;
/// wsrt::fs::remove_dir_all(&path).await?;
/// assert!(!wsrt::fs::try_exists(&path).await?);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    on_path("fs::remove_dir_all", path.as_ref(), |system, path| system.remove_dir_all(path)).await
}
