//! Windows: sockets.

/// Implements the traits that lend the socket of `$kind`, which has a method `socket`.
macro_rules! as_descriptor {
    ($kind:ty) => {
        impl std::os::windows::io::AsSocket for $kind {
            fn as_socket(&self) -> std::os::windows::io::BorrowedSocket<'_> {
                std::os::windows::io::AsSocket::as_socket(self.socket())
            }
        }

        impl std::os::windows::io::AsRawSocket for $kind {
            fn as_raw_socket(&self) -> std::os::windows::io::RawSocket {
                std::os::windows::io::AsRawSocket::as_raw_socket(self.socket())
            }
        }
    };
}

pub(in crate::net) use as_descriptor;
