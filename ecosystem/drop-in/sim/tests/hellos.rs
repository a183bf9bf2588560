//! hyper itself, without a framework: HTTP/1.1 and HTTP/2 between two hosts of a simulation.

use std::convert::Infallible;
use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, server};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use wsrt::sim::{self, Faults, Record};

wsrt::sim::interpose!();

/// How many seeds a test runs: hundreds by hand, in a release build.
const SEEDS: u64 = if cfg!(debug_assertions) { 10 } else { 300 };
const CALLERS: u64 = 4;
const HELLOS: u64 = 10;
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

type Failure = Box<dyn Error + Send + Sync>;

/// Even callers speak HTTP/1.1, odd ones HTTP/2, each on its own port.
fn port(caller: u64) -> u16 {
    if caller.is_multiple_of(2) { 80 } else { 81 }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let name = request.into_body().collect().await?.to_bytes();
    Ok(Response::new(Full::from([b"Hello, ", &name[..]].concat())))
}

async fn serve(port: u16) -> Result<Infallible, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await?;
    loop {
        let stream = TokioIo::new(listener.accept().await?.0);
        tokio::spawn(async move {
            let service = service_fn(answer);
            // A client that is gone is none of the server's faults.
            _ = match port {
                80 => server::conn::http1::Builder::new().serve_connection(stream, service).await,
                _ => server::conn::http2::Builder::new(TokioExecutor::new()).serve_connection(stream, service).await,
            };
        });
    }
}

/// Says hello over its own connection.
async fn hello(caller: u64, name: &str) -> Result<Bytes, Failure> {
    let stream = TokioIo::new(TcpStream::connect(("server", port(caller))).await?);
    let request = Request::post("http://server/").body(Full::<Bytes>::from(name.to_owned()))?;
    let response = if caller.is_multiple_of(2) {
        let (mut sender, connection) = http1::handshake(stream).await?;
        tokio::spawn(connection);
        sender.send_request(request).await?
    } else {
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), stream).await?;
        tokio::spawn(connection);
        sender.send_request(request).await?
    };
    Ok(response.into_body().collect().await?.to_bytes())
}

/// The hellos that were answered, and the tries that were in vain.
#[derive(Clone, Debug, Default)]
struct Counts {
    answered: Arc<AtomicU64>,
    failed: Arc<AtomicU64>,
}

/// Says all its hellos, each until it was answered.
async fn call(caller: u64, counts: Counts) {
    for number in 0..HELLOS {
        let name = format!("{caller}.{number}");
        let heard = loop {
            if let Ok(Ok(heard)) = timeout(PATIENCE, hello(caller, &name)).await {
                break heard;
            }
            counts.failed.fetch_add(1, Relaxed);
            sleep(PAUSE).await;
        };
        assert_eq!(heard, format!("Hello, {name}"));
        counts.answered.fetch_add(1, Relaxed);
        sleep(PAUSE).await;
    }
}

fn run(seed: u64) -> (Record, u64) {
    sim::run(seed, |sim| async move {
        sim.deadline(Duration::from_secs(120));
        sim.host("server", || async { tokio::try_join!(serve(80), serve(81)).map(drop) });
        let counts = Counts::default();
        let theirs = counts.clone();
        sim.host("callers", move || {
            let calls = (0..CALLERS).map(|caller| call(caller, theirs.clone())).collect::<Vec<_>>();
            async move { drop(futures_util::future::join_all(calls).await) }
        });
        // All is said within half a second, so trouble must not be long in coming.
        sim.random_faults(Faults::new(Duration::from_secs(1)).every(PAUSE..3 * PAUSE).partitions().resets());
        while counts.answered.load(Relaxed) < CALLERS * HELLOS {
            sleep(PAUSE).await;
        }
        (sim.record(), counts.failed.load(Relaxed))
    })
}

#[test]
fn each_hello_is_answered_through_trouble_and_by_seed() {
    let failed = AtomicU64::new(0);
    sim::seeds(0..SEEDS, |seed| {
        let first = run(seed);
        assert_eq!(first, run(seed));
        assert_ne!(first.0.hash(), run(seed + SEEDS).0.hash(), "another seed is another run");
        failed.fetch_add(first.1, Relaxed);
    });
    assert!(failed.into_inner() > 0, "the trouble is felt");
}
