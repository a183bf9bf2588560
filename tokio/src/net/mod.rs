//! Sockets, on wsrt's reactor.

mod streams;

pub use wsrt::net::{
    TcpListener, TcpSocket, TcpStream, ToSocketAddrs, UdpSocket, UnixDatagram, UnixListener, UnixSocket, UnixStream,
    lookup_host,
};

/// The halves of TCP streams.
pub mod tcp {
    pub use wsrt::net::tcp::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
}

/// Halves and credentials of Unix sockets, and pipes.
pub mod unix {
    pub use wsrt::net::unix::{
        OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, SocketAddr, UCred, WriteHalf, pipe,
    };

    /// A user's number.
    #[allow(non_camel_case_types)]
    pub type uid_t = libc::uid_t;
    /// A group's number.
    #[allow(non_camel_case_types)]
    pub type gid_t = libc::gid_t;
    /// A process's number.
    #[allow(non_camel_case_types)]
    pub type pid_t = libc::pid_t;
}
