//! Requests by clients that need no runtime.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use wsrt_ecosystem_testing::{LIMIT, output_of, peer};

/// Returns the output of curl with these arguments, or `None` if it is not installed. It runs on a
/// blocking thread of the caller's runtime.
///
/// # Panics
///
/// Panics if curl fails.
pub async fn curl(arguments: &[&str]) -> Option<String> {
    let mut curl = peer("curl")?;
    curl.args(["--silent", "--show-error", "--max-time", "60"]).args(arguments);
    Some(tokio::task::spawn_blocking(|| output_of(curl)).await.expect("curl succeeds"))
}

/// Returns the answer to a request for `path`, head and all. It blocks its thread.
///
/// # Panics
///
/// Panics if there is none within [`LIMIT`].
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
