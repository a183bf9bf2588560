//! One server in a process of its own: hyper's connections as tasks of a runtime, and the process' figures on demand.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use hyper::server::conn::{http1, http2};

use super::Version;
use super::hello::Hello;
use super::on_runtimes::ForHyper;
use crate::runtimes::{Tokio, Wsrt};
use crate::usage::{Usage, allow_open_files};
use crate::{Failure, cores};

/// Precedes the address.
pub(super) const LISTENING: &str = "listening ";
/// Asks for the figures.
pub(super) const USAGE: &str = "usage";
const USED: &str = "used";
/// Descriptors, of the connections and all others.
const FILES: u64 = 4096;

/// What to serve and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) runtime: String,
    pub(super) version: Version,
    /// Each with a worker thread of the runtime.
    pub(super) cores: Vec<usize>,
}

/// Serves until the standard input ends.
///
/// # Errors
///
/// Returns an error if there is no such runtime or if the system fails it.
pub(super) fn serve(request: &Request) -> Result<(), Failure> {
    cores::stay_on(&request.cores)?;
    allow_open_files(FILES)?;
    match &*request.runtime {
        "wsrt" => serve_on::<Wsrt>(request),
        "tokio" => serve_on::<Tokio>(request),
        other => Err(format!("no runtime {other:?} for HTTP; there are wsrt and tokio").into()),
    }
}

fn serve_on<R: ForHyper>(request: &Request) -> Result<(), Failure> {
    let runtime = R::build(request.cores.len())?;
    let (tell_address, address) = mpsc::channel();
    let accepting = R::spawn_on(&runtime.handle(), accept_all::<R>(request.version, tell_address));
    match address.recv() {
        Ok(address) => answer_questions(address),
        // It ended before it listened, and says why.
        Err(_) => Err(format!("cannot listen: {}", runtime.block_on(accepting)).into()),
    }
}

/// Accepts until that fails, and answers how.
async fn accept_all<R: ForHyper>(version: Version, tell_address: Sender<SocketAddr>) -> io::Error {
    match try_accept_all::<R>(version, tell_address).await {
        Ok(never) => match never {},
        Err(error) => {
            eprintln!("http: cannot accept: {error}");
            error
        }
    }
}

enum Never {}

async fn try_accept_all<R: ForHyper>(version: Version, tell_address: Sender<SocketAddr>) -> io::Result<Never> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // The other end waits for this.
    let _told = tell_address.send(R::local_addr(&listener)?);
    loop {
        let io = R::io(R::accept(&listener).await?)?;
        match version {
            Version::Http1 => R::spawn_detached(serve_http1::<R>(io)),
            Version::Http2 => R::spawn_detached(serve_http2::<R>(io)),
        }
    }
}

async fn serve_http1<R: ForHyper>(io: R::Io) {
    // An error is a client that broke off, as they all do in the end.
    let _ = http1::Builder::new().timer(R::timer()).serve_connection(io, Hello).await;
}

async fn serve_http2<R: ForHyper>(io: R::Io) {
    // As above.
    let _ = http2::Builder::new(R::executor()).timer(R::timer()).serve_connection(io, Hello).await;
}

/// Is the thread that talks to the parent.
fn answer_questions(address: SocketAddr) -> Result<(), Failure> {
    println!("{LISTENING}{address}");
    for line in io::stdin().lock().lines() {
        match &*line? {
            USAGE => {
                println!("{}", Used::from(Usage::now()?));
                io::stdout().flush()?;
            }
            other => return Err(format!("expected {USAGE:?} on the standard input, got {other:?}").into()),
        }
    }
    Ok(())
}

/// A usage on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Used(pub(super) Usage);

impl From<Usage> for Used {
    fn from(usage: Usage) -> Self {
        Self(usage)
    }
}

impl fmt::Display for Used {
    /// Writes the line that [`Used::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{USED} {} {}", self.0.cpu.as_nanos(), self.0.sleeps)
    }
}

impl Used {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix(USED)?.split_whitespace();
        let cpu = Duration::from_nanos(words.next()?.parse().ok()?);
        let sleeps = words.next()?.parse().ok()?;
        words.next().is_none().then_some(Self(Usage { cpu, sleeps }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_survives_its_line() {
        let used = Used(Usage { cpu: Duration::from_nanos(1_234_567_891), sleeps: 42 });
        assert_eq!(Used::parse(&used.to_string()), Some(used));
        for line in ["", "used", "used 1", "used 1 2 3", "listening 127.0.0.1:1"] {
            assert_eq!(Used::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_runtime_that_does_not_exist_is_named() {
        let cores = vec![cores::allowed().unwrap()[0]];
        let request = Request { runtime: "nobody".to_owned(), version: Version::Http1, cores };
        assert!(serve(&request).unwrap_err().to_string().contains("nobody"));
    }
}
