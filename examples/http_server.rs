//! An HTTP server: hyper on wsrt, HTTP/1.1 and HTTP/2 on one port:
//! `cargo run --release --example http_server`.
//!
//! hyper needs wsrt's executor and timer, and nothing for the streams, which implement hyper's I/O
//! traits themselves (feature `hyper`). A robust server also needs an accept loop that continues
//! when no file descriptor is left, time limits for slow connections, and a graceful shutdown: on
//! ctrl-c the server stops accepting, lets open requests finish for ten seconds at most, and ends
//! with status 0. A second ctrl-c ends it at once.
//!
//! Listens on 127.0.0.1:8080. `PORT=3000` chooses another port (0 lets the system choose), an
//! argument another address: `cargo run --release --example http_server -- 0.0.0.0:80`. Answers `/`
//! at once and `/slow` after a second.

use std::convert::Infallible;
use std::env;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::server::conn::auto;
use tokio::sync::watch;
use wsrt::hyper::{WsrtExecutor, WsrtTimer};
use wsrt::net::{TcpListener, TcpStream};

/// How long open requests may take once the server shuts down.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to wait after a failed accept, for other connections to close their file descriptors.
const BACK_OFF: Duration = Duration::from_millis(50);
/// How often to report failed accepts.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

#[wsrt::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("http_server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> io::Result<()> {
    let address = address()?;
    let cannot_bind = |error: io::Error| io::Error::new(error.kind(), format!("cannot bind {address}: {error}"));
    let listener = TcpListener::bind(&address).await.map_err(cannot_bind)?;
    println!("listening on http://{}", listener.local_addr()?);

    // Each connection holds a receiver. So this channel works in both directions: it carries the
    // shutdown signal to the connections, and is closed when the last receiver is dropped, so when
    // all have ended.
    let (end, ending) = watch::channel(false);
    let accepting = wsrt::spawn(accept_connections(listener, ending));
    wsrt::signal::ctrl_c().await?;

    accepting.abort();
    println!("ending: no new connections");
    end.send_replace(true);
    wsrt::spawn(end_at_once_on_ctrl_c());
    if wsrt::time::timeout(PATIENCE, end.closed()).await.is_err() {
        eprintln!("http_server: {} connections did not finish in {PATIENCE:?}", end.receiver_count());
    }
    Ok(())
}

fn address() -> io::Result<String> {
    if let Some(address) = env::args().nth(1) {
        return Ok(address);
    }
    let port = match env::var("PORT") {
        Ok(port) => port.parse::<u16>().map_err(|error| {
            let message = format!("PORT={port} is not a port number from 0 to 65535: {error}");
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })?,
        Err(_) => 8080,
    };
    Ok(format!("127.0.0.1:{port}"))
}

async fn end_at_once_on_ctrl_c() {
    if wsrt::signal::ctrl_c().await.is_ok() {
        // The status that a shell reports for a program that was ended by ctrl-c.
        std::process::exit(130);
    }
}

/// Accepts for ever. The listener is closed when the task is aborted.
async fn accept_connections(listener: TcpListener, ending: watch::Receiver<bool>) {
    let mut complaint = Complaint::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                wsrt::spawn(serve(stream, ending.clone()));
            }
            Err(error) if is_of_one_connection(&error) => {}
            // No file descriptor or memory is left: the connection waits in the OS's queue until
            // there is.
            Err(error) => {
                complaint.report(&error);
                wsrt::time::sleep(BACK_OFF).await;
            }
        }
    }
}

/// Returns whether the error concerns one client that disconnected before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Reports failed accepts: the first at once, then at most one a second with the number of the
/// others.
#[derive(Default)]
struct Complaint {
    reported: Option<Instant>,
    silent: u64,
}

impl Complaint {
    fn report(&mut self, error: &io::Error) {
        if self.reported.is_some_and(|reported| reported.elapsed() < REPORT_PERIOD) {
            self.silent += 1;
            return;
        }
        eprintln!("http_server: cannot accept: {error} ({} times since the last report)", self.silent + 1);
        *self = Self { reported: Some(Instant::now()), silent: 0 };
    }
}

/// Serves one connection until the client closes it, or until the server ends and the open requests
/// are answered.
async fn serve(stream: TcpStream, mut ending: watch::Receiver<bool>) {
    // Answers leave as soon as they are written. An error does not prevent serving the connection.
    let _ = stream.set_nodelay(true);

    let mut builder = auto::Builder::new(WsrtExecutor);
    // The timer makes hyper close connections that take too long to send their headers.
    builder.http1().timer(WsrtTimer);
    builder.http2().timer(WsrtTimer);
    let mut connection = pin!(builder.serve_connection(stream, service_fn(respond)));
    let mut ended = pin!(ending.wait_for(|ending| *ending));
    let mut told_to_end = false;
    let served = poll_fn(|context| {
        if !told_to_end && ended.as_mut().poll(context).is_ready() {
            connection.as_mut().graceful_shutdown();
            told_to_end = true;
        }
        connection.as_mut().poll(context)
    });
    // An error means that the client disconnected or violated the protocol; hyper has answered it
    // if it could.
    let _ = served.await;
}

async fn respond(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let response = match request.uri().path() {
        "/" => text(StatusCode::OK, "Hello from wsrt\n"),
        "/slow" => {
            wsrt::time::sleep(Duration::from_secs(1)).await;
            text(StatusCode::OK, "Hello from wsrt, a second later\n")
        }
        _ => text(StatusCode::NOT_FOUND, "There are / and /slow\n"),
    };
    Ok(response)
}

fn text(status: StatusCode, body: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(body.as_bytes())));
    *response.status_mut() = status;
    response
}
