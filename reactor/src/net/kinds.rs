//! The list of the public types that wait for readiness. Each face (the inherent methods, tokio's traits, hyper's,
//! futures-io's) is put on all it fits by naming its macro here.
//!
//! All of them have an `evented(&self) -> &Evented<..>`; writers have an `end_writing(&mut self) -> io::Result<()>` too.

/// Expands `$face!` for every type that reads.
macro_rules! for_each_reader {
    ($face:ident) => {
        for_each_peeker!($face);
    };
}

/// Expands `$face!` for every type that reads and can look at bytes without taking them.
macro_rules! for_each_peeker {
    ($face:ident) => {
        $face!($crate::net::TcpStream);
        $face!($crate::net::tcp::ReadHalf<'_>);
        $face!($crate::net::tcp::OwnedReadHalf);
    };
}

/// Expands `$face!` for every type that writes.
macro_rules! for_each_writer {
    ($face:ident) => {
        $face!($crate::net::TcpStream);
        $face!($crate::net::tcp::WriteHalf<'_>);
        $face!($crate::net::tcp::OwnedWriteHalf);
    };
}

/// Expands `$face!` for every type that is a connected stream or a half of one, with the type of its addresses.
macro_rules! for_each_connected {
    ($face:ident) => {
        $face!($crate::net::TcpStream, std::net::SocketAddr);
        $face!($crate::net::tcp::ReadHalf<'_>, std::net::SocketAddr);
        $face!($crate::net::tcp::OwnedReadHalf, std::net::SocketAddr);
        $face!($crate::net::tcp::WriteHalf<'_>, std::net::SocketAddr);
        $face!($crate::net::tcp::OwnedWriteHalf, std::net::SocketAddr);
    };
}

/// Expands `$face!` for every type.
macro_rules! for_each_kind {
    ($face:ident) => {
        $face!($crate::net::TcpStream);
        $face!($crate::net::tcp::ReadHalf<'_>);
        $face!($crate::net::tcp::OwnedReadHalf);
        $face!($crate::net::tcp::WriteHalf<'_>);
        $face!($crate::net::tcp::OwnedWriteHalf);
        for_each_datagram!($face);
    };
}

/// Expands `$face!` for every type that sends and receives datagrams.
macro_rules! for_each_datagram {
    ($face:ident) => {
        $face!($crate::net::UdpSocket);
    };
}

/// Expands `$face!` for every type that sends and receives datagrams, with the type of its addresses.
macro_rules! for_each_datagram_socket {
    ($face:ident) => {
        $face!($crate::net::UdpSocket, std::net::SocketAddr);
    };
}

/// Expands `$face!` for every type that is a socket of its own, and no half of one.
macro_rules! for_each_socket {
    ($face:ident) => {
        for_each_buffered_socket!($face);
        $face!($crate::net::TcpListener);
    };
}

/// Expands `$face!` for every type that is a socket with buffers for data.
macro_rules! for_each_buffered_socket {
    ($face:ident) => {
        $face!($crate::net::TcpSocket);
        $face!($crate::net::TcpStream);
        for_each_datagram!($face);
    };
}
