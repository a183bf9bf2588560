//! The two directions of a stream, lent out for use within one task.

use super::TcpStream;
use super::methods::{read_methods, socket_methods, write_methods};
use std::io;

/// Reads from a borrowed [`TcpStream`]; made by [`TcpStream::split`].
#[derive(Debug)]
pub struct ReadHalf<'a>(&'a TcpStream);

/// Writes to a borrowed [`TcpStream`]; made by [`TcpStream::split`].
///
/// Dropping it leaves the stream open.
#[derive(Debug)]
pub struct WriteHalf<'a>(&'a TcpStream);

/// The exclusive borrow keeps it to one reader and one writer.
pub(super) fn split(stream: &mut TcpStream) -> (ReadHalf<'_>, WriteHalf<'_>) {
    (ReadHalf(stream), WriteHalf(stream))
}

impl ReadHalf<'_> {
    pub(super) fn stream(&self) -> &TcpStream {
        self.0
    }
}

impl WriteHalf<'_> {
    pub(super) fn stream(&self) -> &TcpStream {
        self.0
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
        self.0.end_writing()
    }

    pub(super) fn end_writing(&mut self) -> io::Result<()> {
        self.0.end_writing()
    }
}

read_methods!(ReadHalf<'_>);
socket_methods!(ReadHalf<'_>);
write_methods!(WriteHalf<'_>);
socket_methods!(WriteHalf<'_>);
