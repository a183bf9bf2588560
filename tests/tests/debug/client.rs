//! A client that asks for a page, and what it gets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use wsrt::runtime::Runtime;
use wsrt::time::sleep;
use wsrt_debug::Server;
use wsrt_tests::{LIMIT, runtime_with};

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The status line and the headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Parses all that a connection has brought.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head ends");
        let head = String::from_utf8(bytes[..end].to_vec()).expect("heads are text");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Self { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the page is text")
    }
}

/// Starts a server on a free port.
pub(crate) fn serve() -> (Server, SocketAddr) {
    let server = wsrt_debug::serve("127.0.0.1:0").expect("a port is free");
    let address = server.local_addr().expect("it has a port");
    (server, address)
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    stream
}

/// Sends `request` on `stream`, and reads up to the end.
pub(crate) fn send(mut stream: impl Read + Write, request: &str) -> Reply {
    stream.write_all(request.as_bytes()).expect("the server reads");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the server answers, and closes");
    Reply::parse(&bytes)
}

pub(crate) fn request(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

pub(crate) fn get(address: SocketAddr, target: &str) -> Reply {
    send(connect(address), &request(target))
}

/// Asks until the page has `words`.
pub(crate) fn get_until(address: SocketAddr, target: &str, words: &str) -> String {
    let began = std::time::Instant::now();
    loop {
        let reply = get(address, target);
        if reply.text().contains(words) {
            return reply.text().to_owned();
        }
        assert!(began.elapsed() < LIMIT, "no {words:?} in {}", reply.text());
        std::thread::yield_now();
    }
}

/// A runtime with a task that wakes all the time, spawned at the place of the call.
#[track_caller]
pub(crate) fn busy_runtime() -> Runtime {
    let runtime = runtime_with(2);
    runtime.spawn(async {
        loop {
            sleep(Duration::from_millis(1)).await;
        }
    });
    runtime
}
