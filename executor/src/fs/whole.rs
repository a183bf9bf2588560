//! Whole files in one call.

use std::io;
use std::path::Path;

use super::call::{on_path, on_paths};

/// Reads a whole file.
///
/// # Errors
///
/// When it cannot be opened or read.
///
/// # Cancel safety
///
/// Cancel safe: reading changes nothing.
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
    on_path("fs::read", path.as_ref(), |path| std::fs::read(path)).await
}

/// Reads a whole file of UTF-8 text.
///
/// # Errors
///
/// When it cannot be opened or read; of kind [`InvalidData`](io::ErrorKind::InvalidData) when it is
/// not UTF-8.
///
/// # Cancel safety
///
/// Cancel safe: reading changes nothing.
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
    on_path("fs::read_to_string", path.as_ref(), |path| std::fs::read_to_string(path)).await
}

/// Makes `contents` the contents of a file, which is created where there is none. A copy of them
/// travels to the pool.
///
/// # Errors
///
/// When it cannot be opened or written. Then it may be there, with a part of the contents.
///
/// # Cancel safety
///
/// Not cancel safe: dropped while it waits, it leaves open whether the file is written; once begun,
/// it is written entirely.
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
    on_path("fs::write", path.as_ref(), |path| std::fs::write(path, contents)).await
}

/// Copies a file's contents and permissions to another path, and returns how many bytes that were.
/// A file that is there is overwritten.
///
/// # Errors
///
/// When one cannot be opened or created, read or written. Then the second may be there, with a part
/// of the contents.
///
/// # Cancel safety
///
/// Not cancel safe: dropped while it waits, it leaves open whether the copy is made; once begun, it
/// is made entirely.
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
    on_paths("fs::copy", (from.as_ref(), to.as_ref()), |from, to| std::fs::copy(from, to)).await
}
