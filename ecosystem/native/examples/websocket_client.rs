//! A WebSocket client on wsrt: it sends each of its arguments and prints the answers. `cargo run
//! --release --example websocket_client -- 127.0.0.1:9001 hello there`

use std::env;
use std::error::Error;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use wsrt::net::TcpStream;

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [address, texts @ ..] = &arguments[..] else {
        return Err("usage: websocket_client ADDRESS TEXT...".into());
    };
    let stream = TcpStream::connect(address.as_str()).await?;
    let (mut socket, _) = tokio_tungstenite::client_async(format!("ws://{address}/"), stream).await?;
    for text in texts {
        socket.send(Message::text(text.as_str())).await?;
        let answer = socket.next().await.ok_or("the server hung up")??;
        println!("{}", answer.to_text()?);
    }
    socket.close(None).await?;
    while socket.next().await.transpose()?.is_some() {}
    println!("closed in good order");
    Ok(())
}
