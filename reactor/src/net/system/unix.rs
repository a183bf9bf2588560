//! Unix: file descriptors.

use crate::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

macro_rules! descriptor {
    ($kind:ty) => {
        impl AsFd for $kind {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.socket().as_fd()
            }
        }

        impl AsRawFd for $kind {
            fn as_raw_fd(&self) -> RawFd {
                self.socket().as_raw_fd()
            }
        }
    };
}

descriptor!(TcpListener);
descriptor!(TcpStream);
