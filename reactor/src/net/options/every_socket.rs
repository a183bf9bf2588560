//! What every kind of socket has: a pending error and two buffers.

macro_rules! pending_error {
    ($kind:ty) => {
        impl $kind {
            /// Takes the error that is pending on the socket, if any.
            ///
            /// # Errors
            ///
            /// When it cannot be asked for.
            pub fn take_error(&self) -> std::io::Result<Option<std::io::Error>> {
                self.options().take_error()
            }
        }
    };
}

macro_rules! buffer_sizes {
    ($kind:ty) => {
        impl $kind {
            /// Returns the size of the send buffer, in bytes. Linux answers twice what was set: it
            /// counts its own bookkeeping.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn send_buffer_size(&self) -> std::io::Result<u32> {
                self.options().send_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
            }

            /// Asks for a send buffer of `size` bytes (`SO_SNDBUF`). The system takes it as a hint,
            /// and keeps to limits of its own. On Linux this ends the buffer's growing by itself.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_send_buffer_size(&self, size: u32) -> std::io::Result<()> {
                self.options().set_send_buffer_size(size as usize)
            }

            /// Returns the size of the receive buffer, in bytes. Linux answers twice what was set:
            /// it counts its own bookkeeping.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn recv_buffer_size(&self) -> std::io::Result<u32> {
                self.options().recv_buffer_size().map(|size| u32::try_from(size).unwrap_or(u32::MAX))
            }

            /// Asks for a receive buffer of `size` bytes (`SO_RCVBUF`). The system takes it as a
            /// hint, and keeps to limits of its own. A TCP window larger than 64 KiB has to be
            /// asked for before the connection is made.
            ///
            /// # Errors
            ///
            /// The system's.
            pub fn set_recv_buffer_size(&self, size: u32) -> std::io::Result<()> {
                self.options().set_recv_buffer_size(size as usize)
            }
        }
    };
}

for_each_socket!(pending_error);
for_each_buffered_socket!(buffer_sizes);
