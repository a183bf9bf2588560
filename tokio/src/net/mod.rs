//! Sockets and name lookup, on wsrt's reactor.

mod streams;

pub use wsrt::net::{
    TcpListener, TcpSocket, TcpStream, ToSocketAddrs, UdpSocket, UnixDatagram, UnixListener, UnixSocket, UnixStream,
    lookup_host,
};

/// The read and write halves of TCP streams.
pub mod tcp {
    pub use wsrt::net::tcp::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
}

/// The halves of Unix streams, credentials of peer processes, and pipes.
pub mod unix {
    pub use wsrt::net::unix::{
        OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, SocketAddr, UCred, WriteHalf, pipe,
    };

    /// The id of a user.
    #[allow(non_camel_case_types)]
    pub type uid_t = libc::uid_t;
    /// The id of a group.
    #[allow(non_camel_case_types)]
    pub type gid_t = libc::gid_t;
    /// The id of a process.
    #[allow(non_camel_case_types)]
    pub type pid_t = libc::pid_t;
}
