//! One echo server, or a proxy before one, in a process of its own.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use super::files;
use crate::child::{BARE, end_after};
use crate::harness::{Arguments, Job, Words, time_limit};
use crate::plan::DEFAULT_WORKERS;
use crate::runtimes::{Listed, Runtime, Smol, Static, Tokio, Wsrt};
use crate::served::answer_questions;
use crate::usage::allow_open_files;
use crate::workloads::{BareEcho, echo, pass_on};
use crate::{Failure, tls};

/// The bytes of a server's buffers: more than a message has, so that a short read shows that a
/// socket is empty.
const BUFFER: usize = 4096;

/// The work of a server on each connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    Echo,
    /// The bytes are copied both ways between the connection and one to this server.
    Proxy(SocketAddr),
    /// The echo over TLS.
    Tls,
}

impl Service {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        match (arguments.address("--upstream")?, arguments.flag("--tls")) {
            (None, false) => Ok(Self::Echo),
            (Some(upstream), false) => Ok(Self::Proxy(upstream)),
            (None, true) => Ok(Self::Tls),
            (Some(_), true) => Err("--upstream and --tls: a proxy has no TLS".into()),
        }
    }

    pub(super) fn upstream(self) -> Option<SocketAddr> {
        match self {
            Self::Proxy(upstream) => Some(upstream),
            _ => None,
        }
    }

    fn add_to(self, words: Words) -> Words {
        match self {
            Self::Echo => words,
            Self::Proxy(upstream) => words.value("--upstream", upstream),
            Self::Tls => words.flag("--tls", true),
        }
    }
}

/// One server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The runtime's name, or [`BARE`].
    pub(super) name: String,
    pub(super) service: Service,
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
        self.service
            .add_to(Words::begin("--serve", &[&self.name]))
            .option("--workers", self.workers)
            .option("--connections", self.connections)
            .option("--time-limit", self.time_limit.as_secs() as usize)
    }

    fn take(name: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            name,
            service: Service::take(arguments)?,
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
    let upstream = request.service.upstream();
    allow_open_files(files(request.connections, upstream.is_some()))?;
    if request.service == Service::Tls {
        return serve_tls(request);
    }
    match &*request.name {
        "wsrt" => serve_on::<Wsrt>(request, upstream),
        "tokio" => serve_on::<Tokio>(request, upstream),
        "smol" => serve_on::<Smol<Listed>>(request, upstream),
        "smol_static" => serve_on::<Smol<Static>>(request, upstream),
        BARE if upstream.is_none() => {
            answer_questions(BareEcho::start(request.workers, request.connections, BUFFER)?.address)
        }
        other => Err(format!("no server {other:?} for {:?}", request.service).into()),
    }
}

/// Serves over TLS, on a runtime whose streams have tokio's traits.
fn serve_tls(request: &Request) -> Result<(), Failure> {
    match &*request.name {
        "wsrt" => serve_tls_on::<Wsrt>(request),
        "tokio" => serve_tls_on::<Tokio>(request),
        other => Err(format!("no server {other:?} over TLS").into()),
    }
}

fn serve_on<R: Runtime>(request: &Request, upstream: Option<SocketAddr>) -> Result<(), Failure> {
    match upstream {
        None => accept_on::<R>(request, |stream| detach::<R, _>(echo::<R>(stream, BUFFER))),
        Some(upstream) => accept_on::<R>(request, move |stream| detach::<R, _>(pass_on::<R>(stream, upstream, false))),
    }
}

fn serve_tls_on<R: Runtime<Stream: AsyncRead + AsyncWrite + Unpin>>(request: &Request) -> Result<(), Failure> {
    let acceptor = tls::acceptor()?;
    accept_on::<R>(request, move |stream| detach::<R, _>(echo_tls::<R>(acceptor.clone(), stream)))
}

/// Has each connection served by a task.
fn detach<R: Runtime, T: Send + 'static>(task: impl Future<Output = io::Result<T>> + Send + 'static) {
    R::spawn_detached(async move {
        // An error is a client that broke off, as they all do in the end.
        let _ = task.await;
    });
}

/// Accepts on a runtime; `begin` has each connection served.
fn accept_on<R: Runtime>(request: &Request, begin: impl Fn(R::Stream) + Send + 'static) -> Result<(), Failure> {
    let runtime = R::build(request.workers)?;
    let (announce, address) = mpsc::channel();
    let accepting = R::spawn_on(&runtime.handle(), async move {
        let failed = accept_all::<R>(announce, begin).await;
        failed.inspect_err(|error| eprintln!("echo: cannot accept: {error}"))
    });
    match address.recv() {
        Ok(address) => answer_questions(address),
        // The task ended before it listened.
        Err(_) => Ok(runtime.block_on(accepting)?),
    }
}

/// Announces its address, and accepts until that fails.
async fn accept_all<R: Runtime>(announce: Sender<SocketAddr>, begin: impl Fn(R::Stream) + Send) -> io::Result<()> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // `accept_on` waits for this.
    let _received = announce.send(R::local_addr(&listener)?);
    loop {
        let stream = R::accept(&listener).await?;
        begin(stream);
    }
}

/// Shakes hands, and sends back all bytes until the client ends the connection.
async fn echo_tls<R: Runtime<Stream: AsyncRead + AsyncWrite + Unpin>>(
    acceptor: TlsAcceptor,
    stream: R::Stream,
) -> io::Result<()> {
    // The first answer comes right behind the end of the handshake, which the client acknowledges
    // late.
    R::set_nodelay(&stream)?;
    let mut stream = acceptor.accept(stream).await?;
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..read]).await?;
        // Records may be left behind where the socket was full.
        stream.flush().await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_understands_the_words_of_the_parent() {
        let time_limit = Duration::from_secs(7);
        for service in [Service::Echo, Service::Proxy(([127, 0, 0, 1], 4242).into()), Service::Tls] {
            let request = Request { name: "smol".to_owned(), service, workers: 3, connections: 9, time_limit };
            assert_eq!(request.words().read(Request::take), request);
        }
    }

    #[test]
    fn a_server_that_does_not_exist_is_named() {
        let time_limit = Duration::from_secs(1_000_000);
        for (name, service) in [("nobody", Service::Echo), ("smol", Service::Tls), (BARE, Service::Tls)] {
            let request = Request { name: name.to_owned(), service, workers: 1, connections: 1, time_limit };
            assert!(serve(&request).unwrap_err().to_string().contains(name));
        }
    }
}
