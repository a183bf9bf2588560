//! The twin of the example `mixed_server` for tokio and rayon, for comparison: two pools on the
//! same cores, and a channel that brings the result of each loop back.
//!
//! ```text
//! export TOKIO_WORKER_THREADS=2 RAYON_NUM_THREADS=2
//! cargo run --release -p wsrt-benches --bin mixed_server_tokio -- 127.0.0.1:8081
//! ```

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
use hyper_util::rt::{TokioIo, TokioTimer};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

const USUAL_ADDRESS: &str = "127.0.0.1:8080";
/// Below this the primes may be counted.
const MOST: u32 = 500_000;
/// How long to wait after a failed accept, for other connections to give their file descriptors
/// back.
const BACK_OFF: Duration = Duration::from_millis(50);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mixed_server_tokio: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // In the way of tokio's users: connections are accepted by a task, not by the thread of `main`.
    runtime.block_on(runtime.spawn(serve_all()))?
}

async fn serve_all() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| USUAL_ADDRESS.to_owned());
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|error| io::Error::new(error.kind(), format!("cannot bind {address}: {error}")))?;
    println!("listening on http://{}", listener.local_addr()?);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(stream));
            }
            Err(error) => {
                eprintln!("mixed_server_tokio: cannot accept: {error}");
                tokio::time::sleep(BACK_OFF).await;
            }
        }
    }
}

async fn serve(stream: TcpStream) {
    // Answers are to leave as soon as they are written. Not worth giving the connection up for.
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(stream);
    // An error here is a client that broke off or broke the rules; hyper has sent it an answer if
    // it could.
    let _ = http1::Builder::new().timer(TokioTimer::new()).serve_connection(stream, service_fn(respond)).await;
}

async fn respond(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path();
    let (status, body) = match path.strip_prefix("/primes/") {
        Some(word) => match parse_limit(word) {
            Ok(limit) => (StatusCode::OK, format!("{} primes below {limit}\n", count_primes(limit).await)),
            Err(error) => (StatusCode::BAD_REQUEST, error),
        },
        None if path == "/" => (StatusCode::OK, "Hello from tokio\n".to_owned()),
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

async fn count_primes(limit: u32) -> u32 {
    let (tell, count) = oneshot::channel();
    rayon::spawn(move || {
        let count = (0..limit).into_par_iter().map(|number| u32::from(is_prime(number))).sum();
        // The client may have gone.
        let _: Result<(), u32> = tell.send(count);
    });
    count.await.expect("the loop does not panic")
}

/// Divides by trial: ends at once for an even number, late for a prime.
fn is_prime(number: u32) -> bool {
    let divides = |divisor| number % divisor == 0;
    let divisors = (3..).step_by(2).take_while(|divisor| divisor * divisor <= number);
    number == 2 || (number > 2 && !divides(2) && !divisors.into_iter().any(divides))
}
