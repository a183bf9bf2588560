//! Connections over loopback, and an echo at one end.

use std::io;
use std::net::SocketAddr;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::Runtime;

use crate::{runtime_with, within_a_minute};

/// Makes a runtime of two processors.
///
/// # Panics
///
/// Panics if the system has no threads to give.
#[must_use]
pub fn two_processors() -> Runtime {
    runtime_with(2)
}

/// Runs an async test on two processors.
///
/// # Panics
///
/// Panics if the test fails, or takes longer than a minute.
#[track_caller]
pub fn on_two_processors<F>(test: F)
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    within_a_minute(|| two_processors().run(test).expect("the network works"));
}

/// Listens on a free port of loopback, and returns its address too.
///
/// # Errors
///
/// Returns the OS error.
pub async fn listen() -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Makes a connection, and returns its client and its server end.
///
/// # Errors
///
/// Returns the OS error.
pub async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let (listener, address) = listen().await?;
    let connecting = wsrt::spawn(TcpStream::connect(address));
    let (accepted, _) = listener.accept().await?;
    Ok((connecting.await??, accepted))
}

/// Sends back all bytes that come, until the stream ends.
///
/// # Errors
///
/// Returns the OS error.
pub async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 256];
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            count => stream.write_all(&buffer[..count]).await?,
        }
    }
}
