//! A client of HTTP/2 that does what a test says: it sends frames, and waits for the server's.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::frames::{DATA, END_HEADERS, HEADERS, OPENING, PING, push};
use crate::limits::connect;

const ACK: u8 = 1;

/// A frame of the server's.
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) payload: Vec<u8>,
}

pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::over(connect(address))
    }

    /// A server that drains may close the connection before the first byte: the next frame tells.
    pub(crate) fn over(mut stream: TcpStream) -> Self {
        let _ = stream.write_all(OPENING);
        Self(stream)
    }

    /// Sends a frame. Returns whether the connection was open.
    pub(crate) fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        let mut frame = Vec::new();
        push(&mut frame, kind, flags, stream, payload);
        self.0.write_all(&frame).is_ok()
    }

    /// Sends the head of a request, and no end of its body.
    pub(crate) fn begin(&mut self, block: &[u8]) {
        assert!(self.send(HEADERS, END_HEADERS, 1, block), "the server reads");
    }

    /// Waits for a frame; answers a ping. Returns `None` once the connection is closed.
    pub(crate) fn next_frame(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.read(&mut head)?;
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        self.read(&mut payload)?;
        let (kind, flags) = (head[3], head[4]);
        if kind == PING && flags & ACK == 0 {
            self.send(PING, ACK, 0, &payload);
        }
        Some(Frame { kind, payload })
    }

    fn read(&mut self, buffer: &mut [u8]) -> Option<()> {
        match self.0.read_exact(buffer) {
            Ok(()) => Some(()),
            Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) => None,
            Err(error) => panic!("the server sends nothing, and does not close: {error}"),
        }
    }

    /// Waits for a frame of this kind.
    pub(crate) fn wait_for(&mut self, kind: u8) -> Frame {
        loop {
            let frame = self.next_frame().expect("the connection is open");
            if frame.kind == kind {
                return frame;
            }
        }
    }

    /// Waits for a body's bytes.
    pub(crate) fn wait_for_data(&mut self) -> Vec<u8> {
        loop {
            let frame = self.wait_for(DATA);
            if !frame.payload.is_empty() {
                return frame.payload;
            }
        }
    }
}
