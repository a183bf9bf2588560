//! A tonic client on wsrt.
//! `cargo run --release --example tonic_client -- 127.0.0.1:50051 World`
//!
//! The difference from a program on tokio: hyper's HTTP/2 client stands for tonic's `Channel`,
//! which connects by tokio's sockets.

use std::env;
use std::error::Error;

use futures_util::{StreamExt, stream};
use hyper::client::conn::http2;
use tower::service_fn;
use wsrt::net::TcpStream;
use wsrt_ecosystem::greeter::greeter_client::GreeterClient;
use wsrt_ecosystem::greeter::{Name, Often};
use wsrt_hyper::{WsrtExecutor, WsrtTimer};

#[wsrt::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:50051".into());
    let name = env::args().nth(2).unwrap_or_else(|| "World".into());

    let stream = TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http2::Builder::new(WsrtExecutor).timer(WsrtTimer).handshake(stream).await?;
    wsrt::spawn(connection);
    let channel = service_fn(move |request| sender.clone().send_request(request));
    let mut client = GreeterClient::with_origin(channel, format!("http://{address}").parse()?);

    let greeting = client.greet(Name { name: name.clone() }).await?;
    println!("{}", greeting.into_inner().text);

    let mut greetings = client.greet_often(Often { name: name.clone(), times: 3 }).await?.into_inner();
    while let Some(greeting) = greetings.message().await? {
        println!("{}", greeting.text);
    }

    let names = stream::iter(["one", "two"].map(String::from)).map(|name| Name { name });
    let mut greetings = client.greet_all(names).await?.into_inner();
    while let Some(greeting) = greetings.message().await? {
        println!("{}", greeting.text);
    }

    let refusal = client.greet(Name { name: String::new() }).await.expect_err("it greets no empty name");
    println!("{}: {}", refusal.code(), refusal.message());
    Ok(())
}
