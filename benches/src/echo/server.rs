//! One echo server in a process of its own.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use super::OTHER_FILES;
use crate::Failure;
use crate::child::{BARE, end_after};
use crate::harness::{Arguments, Job, Words, time_limit};
use crate::plan::DEFAULT_WORKERS;
use crate::runtimes::{Listed, Runtime, Smol, Static, Tokio, Wsrt};
use crate::served::answer_questions;
use crate::usage::allow_open_files;
use crate::workloads::{BareEcho, echo};

/// The bytes of a server's buffers: more than a message has, so that a short read shows that a
/// socket is empty.
const BUFFER: usize = 4096;

/// One server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The runtime's name, or [`BARE`].
    pub(super) name: String,
    pub(super) workers: usize,
    /// How many will come.
    pub(super) connections: usize,
    /// The process ends itself after this long.
    pub(super) time_limit: Duration,
}

impl Request {
    /// Returns the command that starts this program as the server.
    pub(super) fn command(&self) -> Result<Command, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(self.words().into_vec());
        Ok(command)
    }

    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        Words::begin("--serve", &[&self.name])
            .option("--workers", self.workers)
            .option("--connections", self.connections)
            .option("--time-limit", self.time_limit.as_secs() as usize)
    }

    fn take(name: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            name,
            workers: arguments.positive("--workers")?.unwrap_or(DEFAULT_WORKERS),
            connections: arguments.positive("--connections")?.ok_or("--serve needs --connections")?,
            time_limit: time_limit(arguments)?,
        })
    }
}

/// Reads the options of a server.
pub(super) fn role(name: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let request = Request::take(name, arguments)?;
    Ok(Box::new(move || serve(&request)))
}

/// Serves until the standard input ends.
fn serve(request: &Request) -> Result<(), Failure> {
    end_after(request.time_limit, format!("echo: the server on {}", request.name));
    allow_open_files(request.connections as u64 + OTHER_FILES)?;
    match &*request.name {
        "wsrt" => serve_on::<Wsrt>(request),
        "tokio" => serve_on::<Tokio>(request),
        "smol" => serve_on::<Smol<Listed>>(request),
        "smol_static" => serve_on::<Smol<Static>>(request),
        BARE => answer_questions(BareEcho::start(request.workers, request.connections, BUFFER)?.address),
        other => Err(format!("no echo server {other:?}").into()),
    }
}

fn serve_on<R: Runtime>(request: &Request) -> Result<(), Failure> {
    let runtime = R::build(request.workers)?;
    let (announce, address) = mpsc::channel();
    let accepting = R::spawn_on(&runtime.handle(), async move {
        let failed = accept_all::<R>(announce).await;
        failed.inspect_err(|error| eprintln!("echo: cannot accept: {error}"))
    });
    match address.recv() {
        Ok(address) => answer_questions(address),
        // The task ended before it listened.
        Err(_) => Ok(runtime.block_on(accepting)?),
    }
}

/// Announces its address, and accepts until that fails.
async fn accept_all<R: Runtime>(announce: Sender<SocketAddr>) -> io::Result<()> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // `serve_on` waits for this.
    let _received = announce.send(R::local_addr(&listener)?);
    loop {
        let stream = R::accept(&listener).await?;
        R::spawn_detached(async move {
            // An error is a client that broke off, as they all do in the end.
            let _ = echo::<R>(stream, BUFFER).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_understands_the_words_of_the_parent() {
        let time_limit = Duration::from_secs(7);
        let request = Request { name: "smol".to_owned(), workers: 3, connections: 9, time_limit };
        assert_eq!(request.words().read(Request::take), request);
    }

    #[test]
    fn a_server_that_does_not_exist_is_named() {
        let time_limit = Duration::from_secs(1_000_000);
        let request = Request { name: "nobody".to_owned(), workers: 1, connections: 1, time_limit };
        assert!(serve(&request).unwrap_err().to_string().contains("nobody"));
    }
}
