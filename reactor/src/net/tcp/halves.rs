//! The halves of a TCP stream.

use super::stream::TcpStream;
use crate::net::kinds;
use crate::net::stream::halves::halves;
use std::net::SocketAddr;

halves!(
    TcpStream,
    kinds::TcpStream,
    SocketAddr,
    "TCP streams",
    "tcp_read_half",
    "tcp_write_half",
    "tcp_owned_reader",
    "tcp_owned_writer",
    "reader_addresses",
    "writer_addresses"
);
