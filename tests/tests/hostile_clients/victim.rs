//! The servers that are attacked, each a process of its own, and their resources.

use std::env;
use std::fs;
use std::future::{Future, IntoFuture};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Request, Response};
use wsrt::net::TcpListener;
use wsrt::runtime::Runtime;
use wsrt_hyper::{BoxError, RequestBody, serve};
use wsrt_tests::{beside_a_process_of_its_own, example, runtime_with};

/// How long the victims wait for a request. Others may be without a processor for a while, in the
/// midst of a request too.
pub(crate) const LIMIT: Duration = Duration::from_secs(2);
/// How long they wait for a client to take anything.
const WRITE_LIMIT: Duration = Duration::from_millis(500);

/// A server's process. Killed when dropped.
pub(crate) struct Victim {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Victim {
    /// Starts `wsrt_hyper::serve`, as the calling test `test` once more.
    pub(crate) fn serve(test: &str) -> Self {
        Self::once_more(test, "serve")
    }

    /// Starts the server of wsrt-debug, as the calling test `test` once more.
    pub(crate) fn debug(test: &str) -> Self {
        Self::once_more(test, "debug")
    }

    fn once_more(test: &str, server: &str) -> Self {
        let variables = [("WSRT_STALL_MS", "0"), (SERVER, server)];
        let mut process = beside_a_process_of_its_own(test, &variables, be_served);
        let errors = process.stderr.take().expect("it is piped");
        Self::of(process, errors)
    }

    /// Starts the example.
    pub(crate) fn example() -> Self {
        static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
        let mut command = Command::new(PROGRAM.get_or_init(|| example("http_server")));
        command.env("PORT", "0").env("WSRT_WORKER_THREADS", "2").stdout(Stdio::piped());
        command.env("HEAD_SECONDS", LIMIT.as_secs_f64().to_string());
        command.env("WRITE_SECONDS", WRITE_LIMIT.as_secs_f64().to_string());
        let mut process = command.spawn().expect("the server starts");
        let said = process.stdout.take().expect("it is piped");
        Self::of(process, said)
    }

    fn of(process: Child, output: impl Read + Send + 'static) -> Self {
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("listening on http://")?.parse().ok());
        // The rest, so that the server is not held up.
        thread::spawn(move || lines.for_each(drop));
        Self { process, address: address.expect("the server reports its address") }
    }

    /// The descriptors that it has open.
    pub(crate) fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.process.id())).expect("it runs").count()
    }

    /// The files behind its descriptors, and the system's lines on its connections.
    pub(crate) fn open_files(&self) -> (Vec<PathBuf>, Vec<String>) {
        let process = format!("/proc/{}", self.process.id());
        let descriptors = fs::read_dir(format!("{process}/fd")).expect("it runs");
        let connections = fs::read_to_string(format!("{process}/net/tcp")).expect("it runs");
        let port = format!(":{:04X} ", self.address.port());
        (
            descriptors.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok()).collect(),
            connections.lines().filter(|line| line.contains(&port)).map(str::to_owned).collect(),
        )
    }

    /// Its resident memory, in kB.
    pub(crate) fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux tells");
        line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The variable that says which server a process is to be.
const SERVER: &str = "HOSTILE_SERVER";

/// Serves until this process's standard input ends.
fn be_served() {
    let runtime = runtime_with(2);
    let debug = env::var(SERVER).is_ok_and(|server| server == "debug");
    // For anyone, who may also send any `Host`: the clients here send "test".
    let debug = debug.then(|| wsrt_debug::serve_anyone("127.0.0.1:0").expect("there is a free port"));
    match &debug {
        Some(server) => eprintln!("listening on http://{}", server.local_addr().expect("it has a port")),
        None => serve_on(&runtime),
    }
    // Killed with its parent's `Victim`; or its parent has ended otherwise.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

fn serve_on(runtime: &Runtime) {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("there is a free port");
    eprintln!("listening on http://{}", listener.local_addr().expect("it is bound"));
    let serving = serve(listener, Paths)
        .with_first_request_timeout(LIMIT)
        .with_request_timeout(LIMIT)
        .with_write_timeout(WRITE_LIMIT)
        .configure_http(|http| {
            http.http1().header_read_timeout(LIMIT);
        });
    let guard = runtime.enter();
    runtime.spawn(serving.into_future());
    drop(guard);
}

/// A service with a short answer, a long one, and one that reads the request's body first.
#[derive(Clone)]
struct Paths;

impl tower_service::Service<Request<RequestBody>> for Paths {
    type Response = Response<Full<Bytes>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        Box::pin(async move {
            let body = match request.uri().path() {
                "/large" => Bytes::from_static(&[b'x'; 8 << 20]),
                "/upload" => request.into_body().collect().await?.to_bytes(),
                _ => Bytes::from_static(b"hello"),
            };
            Ok(Response::new(Full::new(body)))
        })
    }
}
