//! A server that shuts down gracefully: `cargo run --release --example graceful_shutdown`, then
//! `nc 127.0.0.1 7000`, then ctrl-c.
//!
//! On ctrl-c or SIGTERM it drains the runtime: the shutdown token is cancelled, by which the
//! listener and every connection learn that they should end, and they have five seconds to finish
//! their work. It names the tasks that are left, with the places where they were spawned.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::Handle;
use wsrt::sync::CancellationToken;
use wsrt::time::Instant;

/// How long connections may take to finish.
const PATIENCE: Duration = Duration::from_secs(5);

#[wsrt::main]
async fn main() -> ExitCode {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7000".to_owned());
    match serve(&address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("graceful_shutdown: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(address: &str) -> io::Result<()> {
    let cannot_bind = |error: io::Error| io::Error::new(error.kind(), format!("cannot bind {address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(cannot_bind)?;
    println!("listening on {}", listener.local_addr()?);

    wsrt::task::Builder::new().name("accept").spawn(accept(listener));
    wsrt::signal::shutdown().await?;

    println!("ending");
    let drained = Handle::current().drain(Instant::now() + PATIENCE).await;
    println!("{drained}");
    // `main` returns, and the runtime drops the remaining tasks.
    Ok(())
}

/// Accepts connections until the runtime is drained. The listener is closed with this task.
async fn accept(listener: TcpListener) {
    let ending = Handle::current().shutdown_token();
    while let Some(accepted) = ending.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, peer)) => {
                let ended = echo(stream, ending.clone());
                wsrt::spawn(async move {
                    if let Err(error) = ended.await {
                        eprintln!("graceful_shutdown: {peer}: {error}");
                    }
                });
            }
            Err(error) => {
                eprintln!("graceful_shutdown: cannot accept: {error}");
                wsrt::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Sends back all bytes. When the server ends, the bytes that were read are still sent back, and
/// then a farewell.
async fn echo(mut stream: TcpStream, ending: CancellationToken) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    // The token is checked between messages only: the read is cancel safe, the write is not.
    while let Some(count) = ending.run_until_cancelled(stream.read(&mut buffer)).await {
        match count? {
            0 => return Ok(()),
            count => stream.write_all(&buffer[..count]).await?,
        }
    }
    stream.write_all(b"the server ends now\n").await
}
