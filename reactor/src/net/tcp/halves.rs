//! The two directions of a TCP stream.

use super::stream::TcpStream;
use crate::net::stream::halves::halves;

halves!(TcpStream, mio::net::TcpStream, "TCP");
