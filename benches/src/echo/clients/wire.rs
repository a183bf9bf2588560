//! The bytes of one connection: as they are, or in TLS.

use std::io::{self, Read, Write};
use std::sync::Arc;

use mio::net::TcpStream;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::{Failure, tls};

#[derive(Debug)]
pub(super) enum Wire {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Wire {
    /// Puts TLS around `stream` if there is a configuration for it. The handshake comes with the
    /// first bytes.
    pub(super) fn over(stream: TcpStream, config: Option<&Arc<ClientConfig>>) -> Result<Self, Failure> {
        Ok(match config {
            None => Self::Plain(stream),
            Some(config) => Self::Tls(Box::new(StreamOwned::new(tls::connection(config)?, stream))),
        })
    }

    /// Returns the socket, for the poll.
    pub(super) fn socket(&mut self) -> &mut TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => &mut stream.sock,
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}
