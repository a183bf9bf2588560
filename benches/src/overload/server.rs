//! The server, in a process of its own: each request computes for a while.

use std::convert::Infallible;
use std::future::{IntoFuture, Ready, ready};
use std::hint::black_box;
use std::net::Ipv4Addr;
use std::process::Command;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request as HttpRequest, Response};
use wsrt::net::TcpListener;
use wsrt::runtime::Builder;
use wsrt_hyper::RequestBody;

use crate::harness::{Arguments, Job, Words};
use crate::served::{ServerProcess, answer_questions};
use crate::usage::allow_open_files;
use crate::{Failure, cores};

/// Descriptors, of the connections and all others.
const FILES: u64 = 16_384;

/// The work of a server's requests, its limit, and its cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// CPU time of each request.
    pub(super) work: Duration,
    /// How long a request may wait; `None` if no load is shed.
    pub(super) limit: Option<Duration>,
    /// Each with a worker thread of the runtime.
    pub(super) cores: Vec<usize>,
}

impl Request {
    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        Words::begin("--serve", &[&self.work.as_micros().to_string()])
            .option("--limit-us", self.limit.map(|limit| limit.as_micros() as usize))
            .numbers("--cores", &self.cores)
    }

    fn take(work: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        let work = work.parse().map_err(|error| format!("--serve {work}: {error}"))?;
        Ok(Self {
            work: Duration::from_micros(work),
            limit: arguments.positive("--limit-us")?.map(Duration::from_micros),
            cores: arguments.numbers("--cores")?.ok_or("--serve MICROSECONDS needs --cores")?,
        })
    }
}

/// Reads the options of a server.
pub(super) fn role(work: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let request = Request::take(work, arguments)?;
    Ok(Box::new(move || serve(&request)))
}

/// Serves until the standard input ends.
fn serve(request: &Request) -> Result<(), Failure> {
    cores::stay_on(&request.cores)?;
    allow_open_files(FILES)?;
    let runtime = Builder::new_multi_thread().worker_threads(request.cores.len()).build()?;
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    let address = listener.local_addr()?;
    let service = Computes { steps: steps_in(request.work) };
    let server = wsrt_hyper::serve(listener, service).with_max_connections(None).with_load_shedding(request.limit);
    drop(runtime.spawn(server.into_future()));
    answer_questions(address)
}

/// Starts this program as a server, and waits until it listens.
pub(super) fn start(request: &Request) -> Result<ServerProcess, Failure> {
    ServerProcess::start(Command::new(std::env::current_exe()?).args(request.words().into_vec()))
}

/// A service that computes for so many steps, and not for so long by the clock, so that a thread
/// which is not given its core for a moment has no less to do.
#[derive(Clone, Debug)]
struct Computes {
    steps: u64,
}

impl tower_service::Service<HttpRequest<RequestBody>> for Computes {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: HttpRequest<RequestBody>) -> Self::Future {
        compute(self.steps);
        ready(Ok(Response::new(Full::new(Bytes::from_static(b"computed\n")))))
    }
}

fn compute(steps: u64) {
    let mut value = 0_u64;
    for step in 0..steps {
        value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step));
    }
    black_box(value);
}

/// Returns how many steps take `work` on this machine: by the fastest of some trials, since others
/// may have been interrupted.
fn steps_in(work: Duration) -> u64 {
    const TRIAL: u64 = 1_000_000;
    let trial = |_| {
        let began = Instant::now();
        compute(TRIAL);
        began.elapsed()
    };
    let fastest = (0..20).map(trial).min().unwrap_or_default().max(Duration::from_nanos(1));
    (work.as_nanos() * u128::from(TRIAL) / fastest.as_nanos()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_understands_the_words_of_the_parent() {
        for limit in [None, Some(Duration::from_micros(700))] {
            let request = Request { work: Duration::from_micros(30), limit, cores: vec![0, 3] };
            assert_eq!(request.words().read(Request::take), request);
        }
    }
}
