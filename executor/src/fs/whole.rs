//! Reading, writing and copying whole files in one call.

use std::io;
use std::path::Path;

use super::call::on_path_at_cost;
use crate::util::world::Cost;

/// The bytes of a file that is read whole, as far as a guess of its time goes.
const WHOLE: usize = 4_096;

/// Reads a whole file into a vector.
///
/// # Errors
///
/// Returns the OS error when the file cannot be opened or read.
///
/// # Cancel safety
///
/// This call is cancel safe: the call only reads.
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

/// Reads a whole file of UTF-8 text into a string.
///
/// # Errors
///
/// Returns the OS error when the file cannot be opened or read, and one of kind
/// [`InvalidData`](io::ErrorKind::InvalidData) when it is not UTF-8.
///
/// # Cancel safety
///
/// This call is cancel safe: the call only reads.
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

/// Replaces the contents of a file by `contents`; creates the file if it does not exist. The pool
/// writes a copy of `contents`.
///
/// # Errors
///
/// Returns the OS error when the file cannot be opened or written. It may then exist with a part of
/// the contents.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped while it waits, it is unspecified whether the file is
/// written; once begun, it is written entirely.
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

/// Copies a file's contents and permissions to another path, and returns the number of bytes. A
/// file that exists there is overwritten.
///
/// # Errors
///
/// Returns the OS error when `from` cannot be opened or read, or `to` cannot be created or written.
/// `to` may then exist with a part of the contents.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped while it waits, it is unspecified whether the copy is
/// made; once begun, it is made entirely.
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
