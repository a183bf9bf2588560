//! Writing to a connected socket.

use super::stream::TcpStream;
use crate::net::at_once::{self, at_once};
use crate::net::stream::bulk;
use std::io::{self, IoSlice};

impl TcpStream {
    /// Writes as much of `buf` as the OS takes and returns the number of bytes; waits if it takes
    /// none.
    ///
    /// Written means handed to the OS, not received by the peer.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was written.
    #[doc = example!("tcp_writer", "write")]
    pub async fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.evented().send(buf).await
    }

    /// Writes as much of several buffers, in their order, as the OS takes in one call; otherwise
    /// like [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was written.
    #[doc = example!("tcp_writer", "write_vectored")]
    pub async fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.evented().send_vectored(bufs).await
    }

    /// Writes all of `buf`.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down. Some of `buf` may have been
    /// written.
    ///
    /// # Cancel safety
    ///
    /// None: if it is dropped before it is ready, it may have written some of `buf`.
    #[doc = example!("tcp_writer", "write_all")]
    pub async fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        bulk::write_all(self.evented(), buf).await
    }

    /// Does nothing, because written bytes are with the OS already. It exists so that code for
    /// buffered streams works here too.
    ///
    /// # Errors
    ///
    /// Returns no error.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("tcp_writer", "flush")]
    pub async fn flush(&mut self) -> io::Result<()> {
        at_once::flush().await
    }

    /// Writes as much of `buf` as the OS takes without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("tcp_writer", "try_write")]
    pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        self.evented().try_send(buf)
    }

    /// Writes as much of several buffers as the OS takes in one call, without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("tcp_writer", "try_write_vectored")]
    pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.evented().try_send_vectored(bufs)
    }

    /// Ends the writing direction: the peer reads the end of the stream after all written bytes.
    ///
    /// Ending it again, or after the connection has ended, is no error.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing has ended.
    #[doc = example!("tcp_writer", "shutdown")]
    pub async fn shutdown(&mut self) -> io::Result<()> {
        at_once(|| self.end_writing()).await
    }
}
