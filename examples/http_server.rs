//! An HTTP server: hyper on wsrt, HTTP/1.1 and HTTP/2 on one port:
//! `cargo run --release --example http_server`.
//!
//! `wsrt_hyper::serve` takes a tower service, here a function, and does what a robust server needs:
//! it resumes accepting when file descriptors are free again, and limits hostile clients. On ctrl-c
//! the runtime is drained: the server stops accepting by itself, open requests finish, for ten
//! seconds at most, and the program ends with status 0. A second ctrl-c ends it at once.
//!
//! Listens on 127.0.0.1:8080. `PORT=3000` chooses another port (0 lets the system choose), an
//! argument another address: `cargo run --release --example http_server -- 0.0.0.0:80`. Answers `/`
//! at once and `/slow` after a second. The limits:
//!
//! | a client that | is met by | variable | default |
//! |---|---|---|---|
//! | opens more and more connections | accepting no more; they wait in the OS's queue | `CONNECTIONS` | three quarters of the process's descriptors |
//! | is slow with a request's head, or idle (HTTP/1.1) | closing | `HEAD_SECONDS` | 30 |
//! | has vanished (HTTP/2) | closing, after a ping | `SILENT_SECONDS` | 60 |
//! | reads nothing | closing | `WRITE_SECONDS` | 60 |
//! | sends or takes without a pause | its task yielding | | always |
//!
//! hyper limits the heads' sizes and the number of streams. No answer here waits for a request's
//! body, so that none needs a limit.

use std::convert::Infallible;
use std::env;
use std::fmt::Display;
use std::future::IntoFuture;
use std::io;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode};
use tower::service_fn;
use wsrt::net::TcpListener;
use wsrt::runtime::Handle;
use wsrt::time::{Instant, sleep};
use wsrt_hyper::RequestBody;

/// How long open requests may take once the server shuts down.
const PATIENCE: Duration = Duration::from_secs(10);

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
    let (address, limits) = (address()?, Limits::read()?);
    let cannot_bind = |error: io::Error| io::Error::new(error.kind(), format!("cannot bind {address}: {error}"));
    let listener = TcpListener::bind(&address).await.map_err(cannot_bind)?;
    // From here on: what reads the address may send one at once.
    let interrupted = wsrt::signal::ctrl_c();
    println!("listening on http://{}", listener.local_addr()?);

    let mut server = wsrt_hyper::serve(listener, service_fn(respond))
        .with_first_request_timeout(limits.head)
        .with_write_timeout(limits.write)
        .configure_http(|http| {
            http.http1().header_read_timeout(limits.head);
            http.http2().keep_alive_interval(limits.silence);
        });
    if let Some(connections) = limits.connections {
        server = server.with_max_connections(connections);
    }
    wsrt::spawn(server.into_future());
    interrupted.await?;

    println!("ending: no new connections");
    let runtime = Handle::current();
    wsrt::select! {
        drained = runtime.drain(Instant::now() + PATIENCE) => {
            if !drained.is_complete() {
                eprintln!("http_server: {drained}");
            }
        }
        // The status that a shell reports for a program that was ended by ctrl-c.
        _ = wsrt::signal::ctrl_c() => std::process::exit(130),
    }
    Ok(())
}

fn address() -> io::Result<String> {
    if let Some(address) = env::args().nth(1) {
        return Ok(address);
    }
    let port: u16 = variable("PORT", "a port number from 0 to 65535")?.unwrap_or(8080);
    Ok(format!("127.0.0.1:{port}"))
}

/// Reads an environment variable, which has to be `what`.
fn variable<T: FromStr<Err: Display>>(name: &str, what: &str) -> io::Result<Option<T>> {
    let Ok(text) = env::var(name) else { return Ok(None) };
    text.parse()
        .map(Some)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("{name}={text} is not {what}: {error}")))
}

/// The limits that a connection has to keep to.
struct Limits {
    connections: Option<usize>,
    head: Duration,
    silence: Duration,
    write: Duration,
}

impl Limits {
    fn read() -> io::Result<Self> {
        let time = |name, default| {
            let seconds: f64 = variable(name, "a number of seconds")?.unwrap_or(default);
            Duration::try_from_secs_f64(seconds)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("{name}={seconds}: {error}")))
        };
        Ok(Self {
            connections: variable("CONNECTIONS", "a number of connections")?,
            head: time("HEAD_SECONDS", 30.0)?,
            silence: time("SILENT_SECONDS", 60.0)?,
            write: time("WRITE_SECONDS", 60.0)?,
        })
    }
}

async fn respond(request: Request<RequestBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    let response = match request.uri().path() {
        "/" => text(StatusCode::OK, "Hello from wsrt\n"),
        "/slow" => {
            sleep(Duration::from_secs(1)).await;
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
