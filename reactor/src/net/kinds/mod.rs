//! The list of the public types that wait for readiness. Each face (the inherent methods, tokio's
//! traits, hyper's, futures-io's) is put on all it fits by naming its macro here.
//!
//! All of them have an `evented(&self) -> &Evented<..>`; writers have an
//! `end_writing(&mut self) -> io::Result<()>` too.

#[cfg(unix)]
#[macro_use]
mod unix;
#[cfg(not(unix))]
#[macro_use]
mod without_unix;

/// Expands `$face!` for every type that reads.
macro_rules! for_each_reader {
    ($face:ident) => {
        for_each_peeker!($face);
        for_each_unix_pipe_receiver!($face);
    };
}

/// Expands `$face!` for every type that reads and can look at bytes without taking them.
macro_rules! for_each_peeker {
    ($face:ident) => {
        $face!($crate::net::TcpStream);
        $face!($crate::net::tcp::ReadHalf<'_>);
        $face!($crate::net::tcp::OwnedReadHalf);
        for_each_unix_peeker!($face);
    };
}

/// Expands `$face!` for every type that writes.
macro_rules! for_each_writer {
    ($face:ident) => {
        for_each_ending_writer!($face);
        for_each_unix_pipe_sender!($face);
    };
}

/// Expands `$face!` for every type that writes and can end that without being dropped.
macro_rules! for_each_ending_writer {
    ($face:ident) => {
        $face!($crate::net::TcpStream);
        $face!($crate::net::tcp::WriteHalf<'_>);
        $face!($crate::net::tcp::OwnedWriteHalf);
        for_each_unix_ending_writer!($face);
    };
}

/// Expands `$face!` for every type that is a connected stream or a half of one, with the type of
/// its addresses.
macro_rules! for_each_connected {
    ($face:ident) => {
        $face!($crate::net::TcpStream, std::net::SocketAddr);
        $face!($crate::net::tcp::ReadHalf<'_>, std::net::SocketAddr);
        $face!($crate::net::tcp::OwnedReadHalf, std::net::SocketAddr);
        $face!($crate::net::tcp::WriteHalf<'_>, std::net::SocketAddr);
        $face!($crate::net::tcp::OwnedWriteHalf, std::net::SocketAddr);
        for_each_unix_connected!($face);
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
        for_each_unix_stream_kind!($face);
    };
}

/// Expands `$face!` for every type that sends and receives datagrams.
macro_rules! for_each_datagram {
    ($face:ident) => {
        $face!($crate::net::UdpSocket);
        for_each_unix_datagram!($face);
    };
}

/// Expands `$face!` for every type that sends and receives datagrams, with the type of its
/// addresses.
macro_rules! for_each_datagram_socket {
    ($face:ident) => {
        $face!($crate::net::UdpSocket, std::net::SocketAddr);
        for_each_unix_datagram_socket!($face);
    };
}

/// Expands `$face!` for every type that is a socket of its own, and no half of one.
macro_rules! for_each_socket {
    ($face:ident) => {
        for_each_buffered_socket!($face);
        $face!($crate::net::TcpListener);
        for_each_unix_listener!($face);
    };
}

/// Expands `$face!` for every type that is a socket with buffers for data.
macro_rules! for_each_buffered_socket {
    ($face:ident) => {
        $face!($crate::net::TcpSocket);
        $face!($crate::net::TcpStream);
        for_each_datagram!($face);
        for_each_unix_stream!($face);
    };
}
