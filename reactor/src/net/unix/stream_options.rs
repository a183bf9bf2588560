//! The options of a connected Unix socket.

use super::stream::UnixStream;
use std::io;

impl UnixStream {
    /// Takes the error that is pending on the socket, if any.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the pending error cannot be asked for.
    #[doc = example!("unix_stream", "take_error")]
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.options().take_error()
    }

    /// Returns the size of the send buffer, in bytes. Linux returns twice the size that was set,
    /// because it counts its own bookkeeping.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_stream", "send_buffer_size")]
    pub fn send_buffer_size(&self) -> io::Result<u32> {
        self.options().send_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
    }

    /// Asks for a send buffer of `size` bytes (`SO_SNDBUF`). The OS takes the size as a hint,
    /// within its own limits. On Linux this ends the buffer's automatic growth.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_stream", "send_buffer_size")]
    pub fn set_send_buffer_size(&self, size: u32) -> io::Result<()> {
        self.options().set_send_buffer_size(size as usize)
    }

    /// Returns the size of the receive buffer, in bytes. Linux returns twice the size that was set,
    /// because it counts its own bookkeeping.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_stream", "recv_buffer_size")]
    pub fn recv_buffer_size(&self) -> io::Result<u32> {
        self.options().recv_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
    }

    /// Asks for a receive buffer of `size` bytes (`SO_RCVBUF`). The OS takes the size as a hint,
    /// within its own limits.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_stream", "recv_buffer_size")]
    pub fn set_recv_buffer_size(&self, size: u32) -> io::Result<()> {
        self.options().set_recv_buffer_size(size as usize)
    }
}
