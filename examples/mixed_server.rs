//! A server that also computes: HTTP requests that each run a parallel loop:
//! `cargo run --release --example mixed_server`.
//!
//! `/primes/N` counts the primes below N, on all processors at once where they have nothing else to
//! do. The loop is a plain call from within the handler: no second pool of threads that fights for
//! the same cores, no channel to bring the result back. Other requests are served while it runs;
//! try `/` beside it. Its twin for tokio and rayon is `benches/src/bin/mixed_server_tokio.rs`.
//!
//! Listens on 127.0.0.1:8080, or on the address that is given as an argument. The example
//! `http_server` shows the other needs of a server, such as a graceful shutdown.

use std::convert::Infallible;
use std::env;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::parallel;
use wsrt_hyper::WsrtTimer;

const USUAL_ADDRESS: &str = "127.0.0.1:8080";
/// Below this the primes may be counted: some 50 ms of work on one processor.
const MOST: u32 = 500_000;
/// How long to wait after a failed accept, for other connections to close their file descriptors.
const BACK_OFF: Duration = Duration::from_millis(50);

#[wsrt::main]
async fn main() -> ExitCode {
    match serve_all().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mixed_server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve_all() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| USUAL_ADDRESS.to_owned());
    let cannot_bind = |error: io::Error| io::Error::new(error.kind(), format!("cannot bind {address}: {error}"));
    let listener = TcpListener::bind(&address).await.map_err(cannot_bind)?;
    println!("listening on http://{}", listener.local_addr()?);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                wsrt::spawn(serve(stream));
            }
            Err(error) => {
                eprintln!("mixed_server: cannot accept: {error}");
                wsrt::time::sleep(BACK_OFF).await;
            }
        }
    }
}

async fn serve(stream: TcpStream) {
    // Answers leave as soon as they are written. An error does not prevent serving the connection.
    let _ = stream.set_nodelay(true);
    // An error means that the client disconnected or violated the protocol; hyper has answered it
    // if it could.
    let _ = http1::Builder::new().timer(WsrtTimer).serve_connection(stream, service_fn(respond)).await;
}

async fn respond(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path();
    let (status, body) = match path.strip_prefix("/primes/") {
        Some(word) => match parse_limit(word) {
            Ok(limit) => (StatusCode::OK, format!("{} primes below {limit}\n", count_primes(limit))),
            Err(error) => (StatusCode::BAD_REQUEST, error),
        },
        None if path == "/" => (StatusCode::OK, "Hello from wsrt\n".to_owned()),
        None => (StatusCode::NOT_FOUND, "There are / and /primes/N\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    Ok(response)
}

fn parse_limit(word: &str) -> Result<u32, String> {
    match word.parse() {
        Ok(limit @ 0..=MOST) => Ok(limit),
        _ => Err(format!("`{word}` is not a number from 0 to {MOST}\n")),
    }
}

fn count_primes(limit: u32) -> u32 {
    parallel::reduce(0..limit, || 0, |number| u32::from(is_prime(number)), |one, other| one + other)
}

/// By trial: at once for an even number, long for a prime.
fn is_prime(number: u32) -> bool {
    let divides = |divisor| number % divisor == 0;
    let divisors = (3..).step_by(2).take_while(|divisor| divisor * divisor <= number);
    number == 2 || (number > 2 && !divides(2) && !divisors.into_iter().any(divides))
}
