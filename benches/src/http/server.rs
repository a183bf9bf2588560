//! One server, or proxy, in a process of its own: hyper's connections as tasks of a runtime.

use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::mpsc::{self, Sender};

use hyper::body::{Body, Incoming};
use hyper::rt::{Read, Write};
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper::{Request as HttpRequest, Response};
use tokio_rustls::Accept;

use super::Kind;
use super::hello::Hello;
use super::on_runtimes::ForHyper;
use super::proxy::Proxy;
use crate::harness::{Arguments, Job, Words};
use crate::runtimes::{Tokio, Wsrt};
use crate::served::{ServerProcess, answer_questions};
use crate::usage::allow_open_files;
use crate::{Failure, cores, tls};

/// Descriptors, of the connections and all others, here and in the generators.
pub(super) const FILES: u64 = 16_384;

/// The service of one server, and its cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) runtime: String,
    pub(super) kind: Kind,
    /// The server behind a proxy.
    pub(super) upstream: Option<SocketAddr>,
    /// Each with a worker thread of the runtime.
    pub(super) cores: Vec<usize>,
}

impl Request {
    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        let words = Words::begin("--serve", &[&self.runtime, self.kind.name()]).numbers("--cores", &self.cores);
        match self.upstream {
            None => words,
            Some(upstream) => words.value("--upstream", upstream),
        }
    }

    fn take(runtime: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        let cores = arguments.numbers("--cores")?.ok_or("--serve RUNTIME needs --cores")?;
        let upstream = arguments.address("--upstream")?;
        let kind = arguments.free().ok_or("--serve RUNTIME needs http1 or http2 after it")?;
        let kind = Kind::find(&kind)?;
        if upstream.is_some() != (kind == Kind::Http1Proxy) {
            return Err("a proxy needs --upstream, and no other server has one".into());
        }
        Ok(Self { runtime, kind, upstream, cores })
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
    match (request.kind, request.upstream) {
        (Kind::Http2, _) => accept_on::<R>(request, |stream| R::spawn_detached(serve_http2::<R>(R::io(stream)))),
        (Kind::Http1Tls, _) => {
            let acceptor = tls::acceptor()?;
            accept_on::<R>(request, move |stream| R::spawn_detached(serve_tls::<R>(acceptor.accept(stream))))
        }
        (_, None) => {
            accept_on::<R>(request, |stream| R::spawn_detached(serve_http1::<R, _, _, _>(R::io(stream), Hello)))
        }
        (_, Some(upstream)) => {
            let proxy = Proxy::new(R::client(), upstream)?;
            let begin = move |stream| R::spawn_detached(serve_http1::<R, _, _, _>(R::io(stream), proxy.clone()));
            accept_on::<R>(request, begin)
        }
    }
}

/// Accepts on a runtime; `begin` has each connection served.
fn accept_on<R: ForHyper>(request: &Request, begin: impl Fn(R::Stream) + Send + 'static) -> Result<(), Failure> {
    let runtime = R::build(request.cores.len())?;
    let (announce, address) = mpsc::channel();
    let accepting = R::spawn_on(&runtime.handle(), async move {
        let failed = accept_all::<R>(announce, begin).await;
        failed.inspect_err(|error| eprintln!("http: cannot accept: {error}"))
    });
    match address.recv() {
        Ok(address) => answer_questions(address),
        // The task ended before it listened.
        Err(_) => Ok(runtime.block_on(accepting)?),
    }
}

/// Announces its address, and accepts until that fails.
async fn accept_all<R: ForHyper>(announce: Sender<SocketAddr>, begin: impl Fn(R::Stream) + Send) -> io::Result<()> {
    let listener = R::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    // `accept_on` waits for this.
    let _received = announce.send(R::local_addr(&listener)?);
    loop {
        let stream = R::accept(&listener).await?;
        R::set_nodelay(&stream)?;
        begin(stream);
    }
}

async fn serve_http1<R, I, S, B>(io: I, service: S)
where
    R: ForHyper,
    I: Read + Write + Unpin,
    S: Service<HttpRequest<Incoming>, Response = Response<B>, Error: Into<Box<dyn Error + Send + Sync>>>,
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>> + 'static,
{
    // An error is a client that broke off, as they all do in the end.
    let _ = http1::Builder::new().timer(R::timer()).serve_connection(io, service).await;
}

async fn serve_tls<R: ForHyper>(accepting: Accept<R::Stream>) {
    // An error is a client that broke off during the handshake.
    let Ok(stream) = accepting.await else { return };
    serve_http1::<R, _, _, _>(R::tls(stream), Hello).await;
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
        for kind in Kind::ALL {
            let upstream = (kind == Kind::Http1Proxy).then(|| ([127, 0, 0, 1], 4242).into());
            let request = Request { runtime: "tokio".to_owned(), kind, upstream, cores: vec![0, 3] };
            assert_eq!(request.words().read(Request::take), request);
        }
    }

    #[test]
    fn a_runtime_that_does_not_exist_is_named() {
        let cores = vec![cores::allowed().unwrap()[0]];
        let request = Request { runtime: "nobody".to_owned(), kind: Kind::Http1, upstream: None, cores };
        assert!(serve(&request).unwrap_err().to_string().contains("nobody"));
    }
}
