//! One server in a process of its own: hyper's connections as tasks of a runtime, and the process'
//! use of the machine on demand.

use std::io::{self, BufRead, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use hyper::server::conn::{http1, http2};

use super::Version;
use super::hello::Hello;
use super::on_runtimes::ForHyper;
use crate::harness::{Arguments, Dialogue, Job, Words};
use crate::runtimes::{Tokio, Wsrt};
use crate::usage::{Usage, allow_open_files};
use crate::{Failure, cores};

/// Precedes the address.
const LISTENING: &str = "listening ";
/// Asks for the figures.
const USAGE: &str = "usage";
const USED: &str = "used";
/// Descriptors, of the connections and all others, here and in the generators.
pub(super) const FILES: u64 = 16_384;

/// The service of one server, and its cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) runtime: String,
    pub(super) version: Version,
    /// Each with a worker thread of the runtime.
    pub(super) cores: Vec<usize>,
}

impl Request {
    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        Words::begin("--serve", &[&self.runtime, self.version.name()]).numbers("--cores", &self.cores)
    }

    fn take(runtime: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        let cores = arguments.numbers("--cores")?.ok_or("--serve RUNTIME needs --cores")?;
        let version = arguments.free().ok_or("--serve RUNTIME needs http1 or http2 after it")?;
        Ok(Self { runtime, version: Version::find(&version)?, cores })
    }
}

/// Reads the options of a server.
pub(super) fn role(runtime: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let request = Request::take(runtime, arguments)?;
    Ok(Box::new(move || serve(&request)))
}

/// Serves until the standard input ends.
fn serve(request: &Request) -> Result<(), Failure> {
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
    let (announce, address) = mpsc::channel();
    let version = request.version;
    let accepting = R::spawn_on(&runtime.handle(), async move {
        let failed = accept_all::<R>(version, announce).await;
        failed.inspect_err(|error| eprintln!("http: cannot accept: {error}"))
    });
    match address.recv() {
        Ok(address) => answer_questions(address),
        // The task ended before it listened.
        Err(_) => Ok(runtime.block_on(accepting)?),
    }
}

/// Announces its address, and accepts until that fails.
async fn accept_all<R: ForHyper>(version: Version, announce: Sender<SocketAddr>) -> io::Result<()> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // `serve_on` waits for this.
    let _received = announce.send(R::local_addr(&listener)?);
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
    // An error is a client that broke off.
    let _ = http2::Builder::new(R::executor()).timer(R::timer()).serve_connection(io, Hello).await;
}

/// Answers the parent's questions, on the main thread.
fn answer_questions(address: SocketAddr) -> Result<(), Failure> {
    println!("{LISTENING}{address}");
    for line in io::stdin().lock().lines() {
        match &*line? {
            USAGE => {
                println!("{}", usage_line(Usage::now()?));
                io::stdout().flush()?;
            }
            other => return Err(format!("expected {USAGE:?} on the standard input, got {other:?}").into()),
        }
    }
    Ok(())
}

/// Writes the line that [`parse_usage`] reads.
fn usage_line(usage: Usage) -> String {
    format!("{USED} {} {}", usage.cpu.as_nanos(), usage.sleeps)
}

fn parse_usage(line: &str) -> Option<Usage> {
    let mut words = line.strip_prefix(USED)?.split_whitespace();
    let cpu = Duration::from_nanos(words.next()?.parse().ok()?);
    let sleeps = words.next()?.parse().ok()?;
    words.next().is_none().then_some(Usage { cpu, sleeps })
}

/// The parent's side of a server that listens. Killed when dropped.
#[derive(Debug)]
pub(super) struct ServerProcess {
    dialogue: Dialogue,
    pub(super) address: SocketAddr,
}

impl ServerProcess {
    /// Starts this program as a server, and waits until it listens.
    pub(super) fn start(request: &Request) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut dialogue = Dialogue::start("the server", command.args(request.words().into_vec()))?;
        let address = dialogue.answer(|line| line.strip_prefix(LISTENING)?.parse().ok())?;
        Ok(Self { dialogue, address })
    }

    /// Asks for the server process' use so far.
    pub(super) fn usage(&mut self) -> Result<Usage, Failure> {
        self.dialogue.order(USAGE)?;
        self.dialogue.answer(parse_usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_survives_its_line() {
        let usage = Usage { cpu: Duration::from_nanos(1_234_567_891), sleeps: 42 };
        assert_eq!(parse_usage(&usage_line(usage)), Some(usage));
        for line in ["", "used", "used 1", "used 1 2 3", "listening 127.0.0.1:1"] {
            assert_eq!(parse_usage(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_server_understands_the_words_of_the_parent() {
        for version in Version::ALL {
            let request = Request { runtime: "tokio".to_owned(), version, cores: vec![0, 3] };
            assert_eq!(request.words().read(Request::take), request);
        }
    }

    #[test]
    fn a_runtime_that_does_not_exist_is_named() {
        let cores = vec![cores::allowed().unwrap()[0]];
        let request = Request { runtime: "nobody".to_owned(), version: Version::Http1, cores };
        assert!(serve(&request).unwrap_err().to_string().contains("nobody"));
    }
}
