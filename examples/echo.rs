//! A TCP server with a task for each connection: `cargo run --release --example echo`, then
//! `nc 127.0.0.1 7000`.
//!
//! Sends back all bytes that come. The address may be given as an argument. Shows the accept loop
//! that a server needs: one that survives the errors of single connections, and that waits a little
//! when the process is out of file descriptors.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};

#[wsrt::main]
async fn main() -> ExitCode {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7000".to_owned());
    match serve(&address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("echo: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(address: &str) -> io::Result<()> {
    let cannot_bind = |error: io::Error| io::Error::new(error.kind(), format!("cannot bind {address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(cannot_bind)?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                wsrt::spawn(async move {
                    if let Err(error) = echo(stream).await {
                        eprintln!("echo: {peer}: {error}");
                    }
                });
            }
            // Most likely no file descriptor is left. The listener stays ready meanwhile, so that
            // trying again at once would only keep the processor busy.
            Err(error) => {
                eprintln!("echo: cannot accept: {error}");
                wsrt::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Sends back all bytes until the other side ends the connection.
async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            count => stream.write_all(&buffer[..count]).await?,
        }
    }
}
