//! A tonic service on wsrt: unary, streaming, and streaming both ways.
//! `cargo run --release --example tonic_server -- 127.0.0.1:50051`
//!
//! The difference from a program on tokio: tonic's `Routes` are served by `wsrt_hyper::serve`, not
//! by tonic's `Server`. So the layers of `Server` are missing: set time limits with a layer of your
//! own.

use std::env;
use std::io;
use std::pin::Pin;

use futures_util::{Stream, StreamExt, stream};
use tonic::service::Routes;
use tonic::{Request, Response, Status, Streaming};
use wsrt::net::TcpListener;
use wsrt_ecosystem::greeter::greeter_server::{Greeter, GreeterServer};
use wsrt_ecosystem::greeter::{Greeting, Name, Often};

#[wsrt::main]
async fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:50051".into());
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    wsrt_hyper::serve(listener, Routes::new(GreeterServer::new(Polite)).prepare())
        .with_graceful_shutdown(async { drop(wsrt::signal::ctrl_c().await) })
        .await
}

struct Polite;

type Greetings = Pin<Box<dyn Stream<Item = Result<Greeting, Status>> + Send>>;

#[tonic::async_trait]
impl Greeter for Polite {
    type GreetOftenStream = Greetings;
    type GreetAllStream = Greetings;

    async fn greet(&self, request: Request<Name>) -> Result<Response<Greeting>, Status> {
        greeting(&request.into_inner().name).map(Response::new)
    }

    async fn greet_often(&self, request: Request<Often>) -> Result<Response<Greetings>, Status> {
        let Often { name, times } = request.into_inner();
        let greetings = stream::iter(1..=times).then(move |count| {
            let greeting = greeting(&format!("{name}, {count}"));
            async move {
                wsrt::task::yield_now().await;
                greeting
            }
        });
        Ok(Response::new(Box::pin(greetings)))
    }

    async fn greet_all(&self, request: Request<Streaming<Name>>) -> Result<Response<Greetings>, Status> {
        let greetings = request.into_inner().map(|name| greeting(&name?.name));
        Ok(Response::new(Box::pin(greetings)))
    }
}

fn greeting(name: &str) -> Result<Greeting, Status> {
    if name.is_empty() {
        return Err(Status::invalid_argument("whom?"));
    }
    Ok(Greeting { text: format!("Hello, {name}!") })
}
