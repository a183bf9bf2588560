//! Windows: sockets.

use crate::net::{TcpListener, TcpStream};
use std::os::windows::io::{AsRawSocket, AsSocket, BorrowedSocket, RawSocket};

macro_rules! descriptor {
    ($kind:ty) => {
        impl AsSocket for $kind {
            fn as_socket(&self) -> BorrowedSocket<'_> {
                self.socket().as_socket()
            }
        }

        impl AsRawSocket for $kind {
            fn as_raw_socket(&self) -> RawSocket {
                self.socket().as_raw_socket()
            }
        }
    };
}

descriptor!(TcpListener);
descriptor!(TcpStream);
