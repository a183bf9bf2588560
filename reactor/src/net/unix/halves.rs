//! The halves of a Unix stream.

use super::SocketAddr;
use super::stream::UnixStream;
use crate::net::kinds;
use crate::net::stream::halves::halves;

halves!(
    UnixStream,
    kinds::UnixStream,
    SocketAddr,
    "Unix streams",
    "unix_read_half",
    "unix_write_half",
    "unix_owned_reader",
    "unix_owned_writer",
    "unix_reader_addresses",
    "unix_writer_addresses"
);
