//! Making and removing directories.

use std::io;
use std::path::Path;

use super::call::on_path;

/// Creates a directory.
///
/// # Errors
///
/// When something is there already, its parent is not, or the system refuses.
///
/// # Cancel safety
///
/// Not cancel safe: dropped while it waits, it leaves open whether it happens.
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
    on_path("fs::create_dir", path.as_ref(), |path| std::fs::create_dir(path)).await
}

/// Creates a directory and those above it, as far as they are not there.
///
/// # Errors
///
/// When something else than a directory is in the way, or the system refuses. Some of the
/// directories above may have been created then.
///
/// # Cancel safety
///
/// Not cancel safe: dropped while it waits, it leaves open whether it happens.
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
    on_path("fs::create_dir_all", path.as_ref(), |path| std::fs::create_dir_all(path)).await
}

/// Removes an empty directory.
///
/// # Errors
///
/// When it is not there, not a directory, not empty, or the system refuses.
///
/// # Cancel safety
///
/// Not cancel safe: dropped while it waits, it leaves open whether it happens.
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
    on_path("fs::remove_dir", path.as_ref(), |path| std::fs::remove_dir(path)).await
}

/// Removes a directory and all that is in it. Symbolic links are removed and not followed.
///
/// # Errors
///
/// When it is not there or not a directory, or the system refuses; some of what is in it may be
/// gone then.
///
/// # Cancel safety
///
/// Not cancel safe: dropped while it waits, it leaves open whether it happens.
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
    on_path("fs::remove_dir_all", path.as_ref(), |path| std::fs::remove_dir_all(path)).await
}
