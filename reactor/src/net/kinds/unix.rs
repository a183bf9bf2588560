//! Unix: what the lists have besides.

macro_rules! for_each_unix_pipe_receiver {
    ($face:ident) => {
        $face!($crate::net::unix::pipe::Receiver);
    };
}

macro_rules! for_each_unix_pipe_sender {
    ($face:ident) => {
        $face!($crate::net::unix::pipe::Sender);
    };
}

macro_rules! for_each_unix_peeker {
    ($face:ident) => {
        $face!($crate::net::UnixStream);
        $face!($crate::net::unix::ReadHalf<'_>);
        $face!($crate::net::unix::OwnedReadHalf);
    };
}

macro_rules! for_each_unix_ending_writer {
    ($face:ident) => {
        $face!($crate::net::UnixStream);
        $face!($crate::net::unix::WriteHalf<'_>);
        $face!($crate::net::unix::OwnedWriteHalf);
    };
}

macro_rules! for_each_unix_connected {
    ($face:ident) => {
        $face!($crate::net::UnixStream, std::os::unix::net::SocketAddr);
        $face!($crate::net::unix::ReadHalf<'_>, std::os::unix::net::SocketAddr);
        $face!($crate::net::unix::OwnedReadHalf, std::os::unix::net::SocketAddr);
        $face!($crate::net::unix::WriteHalf<'_>, std::os::unix::net::SocketAddr);
        $face!($crate::net::unix::OwnedWriteHalf, std::os::unix::net::SocketAddr);
    };
}

macro_rules! for_each_unix_stream_kind {
    ($face:ident) => {
        $face!($crate::net::UnixStream);
        $face!($crate::net::unix::ReadHalf<'_>);
        $face!($crate::net::unix::OwnedReadHalf);
        $face!($crate::net::unix::WriteHalf<'_>);
        $face!($crate::net::unix::OwnedWriteHalf);
        $face!($crate::net::unix::pipe::Receiver);
        $face!($crate::net::unix::pipe::Sender);
    };
}

macro_rules! for_each_unix_datagram {
    ($face:ident) => {
        $face!($crate::net::UnixDatagram);
    };
}

macro_rules! for_each_unix_datagram_socket {
    ($face:ident) => {
        $face!($crate::net::UnixDatagram, std::os::unix::net::SocketAddr);
    };
}

macro_rules! for_each_unix_stream {
    ($face:ident) => {
        $face!($crate::net::UnixStream);
    };
}

macro_rules! for_each_unix_listener {
    ($face:ident) => {
        $face!($crate::net::UnixListener);
    };
}
