//! An HTTP server: hyper on wsrt, HTTP/1.1 and HTTP/2 on one port:
//! `cargo run --release --example http_server`.
//!
//! hyper needs wsrt's executor and timer, and nothing for the streams, which implement hyper's I/O
//! traits themselves (feature `hyper`). A robust server also needs an accept loop that continues
//! when no file descriptor is left, limits for hostile clients, and a graceful shutdown: on ctrl-c
//! the server stops accepting, lets open requests finish for ten seconds at most, and ends with
//! status 0. A second ctrl-c ends it at once. `wsrt::hyper::serve` does all of this for a tower
//! service; here it is by hand.
//!
//! Listens on 127.0.0.1:8080. `PORT=3000` chooses another port (0 lets the system choose), an
//! argument another address: `cargo run --release --example http_server -- 0.0.0.0:80`. Answers `/`
//! at once and `/slow` after a second. The limits:
//!
//! | a client that | is met by | variable | default |
//! |---|---|---|---|
//! | opens connections and no end | accepting no more; they wait in the OS's queue | `CONNECTIONS` | 10000 |
//! | dawdles with a request's head, or is idle (HTTP/1.1) | closing | `HEAD_SECONDS` | 30 |
//! | has vanished (HTTP/2) | closing, after a ping | `SILENT_SECONDS` | 60 |
//! | reads nothing | closing | `WRITE_SECONDS` | 60 |
//! | sends or takes without a pause | its task giving way | | always |
//!
//! hyper limits the heads' sizes and the number of streams. No answer here waits for a request's
//! body, so that none needs a limit.

use std::convert::Infallible;
use std::env;
use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::server::conn::auto;
use tokio::sync::watch;
use wsrt::hyper::{WsrtExecutor, WsrtTimer};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::sync::Semaphore;
use wsrt::time::{Sleep, sleep};

/// How long open requests may take once the server shuts down.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to wait after a failed accept, for other connections to close their file descriptors.
const BACK_OFF: Duration = Duration::from_millis(50);
/// How often to report failed accepts.
const REPORT_PERIOD: Duration = Duration::from_secs(1);
/// How many reads in a row are ready before other tasks have their turn, and how many bytes of
/// writes.
const READS_IN_A_ROW: u32 = 8;
const WRITTEN_IN_A_ROW: usize = 128 << 10;

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
    println!("listening on http://{}", listener.local_addr()?);

    // Each connection holds a receiver. So this channel works in both directions: it carries the
    // shutdown signal to the connections, and is closed when the last receiver is dropped, so when
    // all have ended.
    let (end, ending) = watch::channel(false);
    let accepting = wsrt::spawn(accept_connections(listener, limits, ending));
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
#[derive(Clone, Copy)]
struct Limits {
    connections: usize,
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
            connections: variable("CONNECTIONS", "a number of connections")?.unwrap_or(10_000),
            head: time("HEAD_SECONDS", 30.0)?,
            silence: time("SILENT_SECONDS", 60.0)?,
            write: time("WRITE_SECONDS", 60.0)?,
        })
    }
}

async fn end_at_once_on_ctrl_c() {
    if wsrt::signal::ctrl_c().await.is_ok() {
        // The status that a shell reports for a program that was ended by ctrl-c.
        std::process::exit(130);
    }
}

/// Accepts for ever. The listener is closed when the task is aborted.
async fn accept_connections(listener: TcpListener, limits: Limits, ending: watch::Receiver<bool>) {
    let mut complaint = Complaint::default();
    let places = Arc::new(Semaphore::new(limits.connections));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let serving = serve(stream, limits, ending.clone());
                wsrt::spawn(async move {
                    let _place = place;
                    serving.await;
                });
            }
            Err(error) if is_of_one_connection(&error) => {}
            // No file descriptor or memory is left: the connection waits in the OS's queue until
            // there is.
            Err(error) => {
                complaint.report(&error);
                sleep(BACK_OFF).await;
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

/// Serves one connection until the client closes it or exceeds a limit, or until the server ends
/// and the open requests are answered.
async fn serve(stream: TcpStream, limits: Limits, mut ending: watch::Receiver<bool>) {
    // Answers leave as soon as they are written. An error does not prevent serving the connection.
    let _ = stream.set_nodelay(true);

    let mut builder = auto::Builder::new(WsrtExecutor);
    // The timer makes hyper close connections that take too long to send their headers.
    builder.http1().timer(WsrtTimer).header_read_timeout(limits.head);
    builder.http2().timer(WsrtTimer).keep_alive_interval(limits.silence);
    let begun = Arc::new(AtomicBool::new(false));
    let service = service_fn({
        let begun = Arc::clone(&begun);
        move |request| {
            begun.store(true, Relaxed);
            respond(request)
        }
    });
    let mut connection = pin!(builder.serve_connection(Guarded::new(stream, limits.write), service));
    let mut ended = pin!(ending.wait_for(|ending| *ending));
    let mut told_to_end = false;
    // hyper waits for the first bytes, and for the first request of HTTP/2, without a limit.
    let mut first = pin!(Some(sleep(limits.head)));
    poll_fn(|context| {
        if !told_to_end && ended.as_mut().poll(context).is_ready() {
            connection.as_mut().graceful_shutdown();
            told_to_end = true;
        }
        // An error means that the client disconnected, took too long or violated the protocol;
        // hyper has answered it if it could.
        if connection.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        if begun.load(Relaxed) {
            first.set(None);
        }
        first.as_mut().as_pin_mut().map_or(Poll::Pending, |first| first.poll(context))
    })
    .await;
}

/// A stream that gives up on a client that takes nothing, and lets other tasks run while a client
/// sends or takes without a pause.
struct Guarded {
    stream: TcpStream,
    limit: Duration,
    /// Until when the write waits that is refused at present.
    expiry: Option<Pin<Box<Sleep>>>,
    /// The reads that were ready since the last that was not, and the bytes written likewise.
    reads: u32,
    written: usize,
}

impl Guarded {
    fn new(stream: TcpStream, limit: Duration) -> Self {
        Self { stream, limit, expiry: None, reads: 0, written: 0 }
    }

    /// Makes an attempt to write up to so many bytes as may follow in a row.
    fn write_some(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.written >= WRITTEN_IN_A_ROW {
            self.written = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let written = write(Pin::new(&mut self.stream), context);
        if let Poll::Ready(outcome) = written {
            self.expiry = None;
            self.written += outcome.as_ref().map_or(0, |&count| count);
            return Poll::Ready(outcome);
        }
        self.written = 0;
        let limit = self.limit;
        let expiry = self.expiry.get_or_insert_with(|| Box::pin(sleep(limit)));
        expiry.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl Read for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.reads == READS_IN_A_ROW {
            self.reads = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.reads = if read.is_ready() { self.reads + 1 } else { 0 };
        read
    }
}

impl Write for Guarded {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let bytes = &bytes[..bytes.len().min(WRITTEN_IN_A_ROW)];
        self.write_some(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let (mut first, mut room) = ([IoSlice::new(&[]); 8], WRITTEN_IN_A_ROW);
        for (cut, piece) in first.iter_mut().zip(pieces) {
            let length = piece.len().min(room);
            *cut = IoSlice::new(&piece[..length]);
            room -= length;
        }
        self.write_some(context, |stream, context| stream.poll_write_vectored(context, &first))
    }
}

async fn respond(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
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
