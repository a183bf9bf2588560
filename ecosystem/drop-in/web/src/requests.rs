//! Requests from clients that need no async runtime.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use wsrt_ecosystem_testing::{LIMIT, output_of, peer};

/// Runs curl with the given arguments and returns its output, or `None` if curl is not installed.
/// curl runs on a blocking thread of the caller's runtime.
///
/// # Panics
///
/// Panics if curl fails.
pub async fn curl(arguments: &[&str]) -> Option<String> {
    let mut curl = peer("curl")?;
    curl.args(["--silent", "--show-error", "--max-time", "60"]).args(arguments);
    Some(tokio::task::spawn_blocking(|| output_of(curl)).await.expect("curl succeeds"))
}

/// Sends a request for `path` to `server` and returns the complete response, including its head.
/// Blocks the calling thread.
///
/// # Panics
///
/// Panics if no response arrives within [`LIMIT`].
#[must_use]
pub fn get(server: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(server).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}
