//! Reads, writes and copies whole files with one call.

use std::io;
use std::path::Path;

use super::call::on_path_at_cost;
use crate::util::world::Cost;

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
