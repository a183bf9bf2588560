//! The two directions of a Unix stream as their own values: borrowed, for use within one task,
//! and owned, for two tasks. Each half has its whole API in its own file.

mod owned_read;
mod owned_write;
mod read;
mod write;

pub use self::owned_read::OwnedReadHalf;
pub use self::owned_write::OwnedWriteHalf;
pub use self::read::ReadHalf;
pub use self::write::WriteHalf;

use super::stream::UnixStream;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The exclusive borrow of the caller keeps the stream to one reader and one writer.
pub(super) fn split(stream: &mut UnixStream) -> (ReadHalf<'_>, WriteHalf<'_>) {
    (ReadHalf(stream), WriteHalf(stream))
}

pub(super) fn split_owned(stream: UnixStream) -> (OwnedReadHalf, OwnedWriteHalf) {
    let stream = Arc::new(stream);
    (OwnedReadHalf { stream: Arc::clone(&stream) }, OwnedWriteHalf { stream, ends_on_drop: true })
}

/// Reports that two halves come from different streams, and gives them back.
#[derive(Debug)]
pub struct ReuniteError(
    /// The reading half.
    pub OwnedReadHalf,
    /// The writing half.
    pub OwnedWriteHalf,
);

impl fmt::Display for ReuniteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the two halves come from different Unix streams and cannot be put together")
    }
}

impl Error for ReuniteError {}
