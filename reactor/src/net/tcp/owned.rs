//! The two directions of a stream as values of their own, for two tasks.

use super::TcpStream;
use super::methods::{read_methods, socket_methods, write_methods};
use std::fmt;
use std::io;
use std::sync::Arc;

/// Reads from a [`TcpStream`]; made by [`TcpStream::into_split`].
#[derive(Debug)]
pub struct OwnedReadHalf {
    stream: Arc<TcpStream>,
}

/// Writes to a [`TcpStream`]; made by [`TcpStream::into_split`].
///
/// Dropping it ends the writing direction, so that the peer reads the end of the stream, while the other half goes on
/// reading.
#[derive(Debug)]
pub struct OwnedWriteHalf {
    stream: Arc<TcpStream>,
    ends_on_drop: bool,
}

pub(super) fn split(stream: TcpStream) -> (OwnedReadHalf, OwnedWriteHalf) {
    let stream = Arc::new(stream);
    (OwnedReadHalf { stream: Arc::clone(&stream) }, OwnedWriteHalf { stream, ends_on_drop: true })
}

impl OwnedReadHalf {
    /// Puts the stream together again.
    ///
    /// # Errors
    ///
    /// When the halves come from different streams; the error holds both.
    pub fn reunite(self, write: OwnedWriteHalf) -> Result<TcpStream, ReuniteError> {
        if !Arc::ptr_eq(&self.stream, &write.stream) {
            return Err(ReuniteError(self, write));
        }
        write.forget();
        Ok(Arc::into_inner(self.stream).expect("two halves hold a stream, and the other one is gone"))
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

impl OwnedWriteHalf {
    /// Puts the stream together again.
    ///
    /// # Errors
    ///
    /// When the halves come from different streams; the error holds both.
    pub fn reunite(self, read: OwnedReadHalf) -> Result<TcpStream, ReuniteError> {
        read.reunite(self)
    }

    /// Drops it without ending the writing direction. The connection closes when the other half is dropped.
    pub fn forget(mut self) {
        self.ends_on_drop = false;
    }

    /// Ends the writing direction: the peer reads the end of the stream once it has read what was written.
    ///
    /// Doing it again, or after the connection has ended, is no error.
    ///
    /// # Errors
    ///
    /// The system's.
    ///
    /// # Cancel safety
    ///
    /// It is done at the first poll.
    pub async fn shutdown(&mut self) -> io::Result<()> {
        self.end_writing()
    }

    pub(super) fn end_writing(&mut self) -> io::Result<()> {
        let outcome = self.stream.end_writing();
        self.ends_on_drop &= outcome.is_err();
        outcome
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

impl Drop for OwnedWriteHalf {
    fn drop(&mut self) {
        if self.ends_on_drop {
            // Fails when the connection has ended: then there is nothing to end.
            let _ = self.stream.end_writing();
        }
    }
}

read_methods!(OwnedReadHalf);
socket_methods!(OwnedReadHalf);
write_methods!(OwnedWriteHalf);
socket_methods!(OwnedWriteHalf);

/// Says that two halves do not belong together, and gives them back.
#[derive(Debug)]
pub struct ReuniteError(
    /// The reading half.
    pub OwnedReadHalf,
    /// The writing half.
    pub OwnedWriteHalf,
);

impl fmt::Display for ReuniteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the two halves come from different TCP streams and cannot be put together")
    }
}

impl std::error::Error for ReuniteError {}
