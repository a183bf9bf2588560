//! One server in a process of its own: hyper's connections as tasks of a runtime.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::mpsc::{self, Sender};

use hyper::server::conn::{http1, http2};

use super::Version;
use super::hello::Hello;
use super::on_runtimes::ForHyper;
use crate::harness::{Arguments, Job, Words};
use crate::runtimes::{Tokio, Wsrt};
use crate::served::{ServerProcess, answer_questions};
use crate::usage::allow_open_files;
use crate::{Failure, cores};

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

/// Starts this program as a server, and waits until it listens.
pub(super) fn start(request: &Request) -> Result<ServerProcess, Failure> {
    ServerProcess::start(Command::new(std::env::current_exe()?).args(request.words().into_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
