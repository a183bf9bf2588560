//! A WebSocket echo server on wsrt: tokio-tungstenite directly on TCP.
//! `cargo run --release --example websocket_server -- 127.0.0.1:9001`
//!
//! tokio-tungstenite needs nothing of tokio but its I/O traits, without its feature `connect`.

use std::env;
use std::io;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Result;
use wsrt::net::{TcpListener, TcpStream};

#[wsrt::main]
async fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:9001".into());
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, peer) = listener.accept().await?;
        wsrt::spawn(async move {
            match echo(stream).await {
                Ok(count) => println!("{peer} said {count} things"),
                Err(error) => println!("{peer}: {error}"),
            }
        });
    }
}

async fn echo(stream: TcpStream) -> Result<u64> {
    stream.set_nodelay(true)?;
    let mut socket = tokio_tungstenite::accept_async(stream).await?;
    let mut count = 0;
    while let Some(message) = socket.next().await.transpose()? {
        if message.is_text() || message.is_binary() {
            socket.send(message).await?;
            count += 1;
        }
    }
    Ok(count)
}
