//! A runtime that loses every task it is given fails every workload: no figure without its work.

use std::future::{Future, pending};
use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Instant;

use wsrt_benches::plan::Plan;
use wsrt_benches::runtimes::{Runtime, Tokio, Work};
use wsrt_benches::{sync, workloads};

/// tokio, but for spawning: the future is dropped before `spawn` returns, and its task cancelled.
/// Dropped later, beside a send to it, a channel may keep the value until its last sender is gone,
/// and the sender would wait for a reply that no task sends.
#[derive(Debug)]
struct Lossy(Tokio);

type Task<T> = <Tokio as Runtime>::Task<T>;

fn cancelled<T: Send + 'static>(task: Task<T>) -> Task<T> {
    task.0.abort();
    task
}

impl Runtime for Lossy {
    type Task<T: Send + 'static> = Task<T>;
    type Handle = <Tokio as Runtime>::Handle;
    type Listener = <Tokio as Runtime>::Listener;
    type Stream = <Tokio as Runtime>::Stream;

    fn build(workers: usize) -> io::Result<Self> {
        Tokio::build(workers).map(Self)
    }

    fn run<F: Work>(&self, root: F) -> F::Output {
        self.0.run(root)
    }

    fn run_as_main<F: Work>(&self, root: F) -> F::Output {
        self.0.run_as_main(root)
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    fn handle(&self) -> Self::Handle {
        self.0.handle()
    }

    fn spawn_on<F: Work>(handle: &Self::Handle, future: F) -> Task<F::Output> {
        drop(future);
        cancelled(Tokio::spawn_on(handle, pending()))
    }

    fn spawn<F: Work>(future: F) -> Task<F::Output> {
        drop(future);
        cancelled(Tokio::spawn(pending()))
    }

    fn spawn_blocking<T: Send + 'static>(
        job: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = T> + Send + 'static {
        Self::spawn(async { job() })
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        Tokio::yield_now()
    }

    fn sleep_until(deadline: Instant) -> impl Future<Output = ()> + Send {
        Tokio::sleep_until(deadline)
    }

    async fn bind(address: SocketAddr) -> io::Result<Self::Listener> {
        Tokio::bind(address).await
    }

    fn local_addr(listener: &Self::Listener) -> io::Result<SocketAddr> {
        Tokio::local_addr(listener)
    }

    async fn accept(listener: &Self::Listener) -> io::Result<Self::Stream> {
        Tokio::accept(listener).await
    }

    async fn connect(address: SocketAddr) -> io::Result<Self::Stream> {
        Tokio::connect(address).await
    }

    fn set_nodelay(stream: &Self::Stream) -> io::Result<()> {
        Tokio::set_nodelay(stream)
    }

    async fn read(stream: &mut Self::Stream, buffer: &mut [u8]) -> io::Result<usize> {
        Tokio::read(stream, buffer).await
    }

    async fn write_all(stream: &mut Self::Stream, bytes: &[u8]) -> io::Result<()> {
        Tokio::write_all(stream, bytes).await
    }

    async fn copy_bidirectional(a: &mut Self::Stream, b: &mut Self::Stream, hidden: bool) -> io::Result<(u64, u64)> {
        Tokio::copy_bidirectional(a, b, hidden).await
    }
}

fn tiny() -> Plan {
    Plan {
        iterations: Some(1),
        size: Some(10),
        connections: 2,
        ..Plan::usual(PathBuf::from(env!("CARGO_BIN_EXE_compare")))
    }
}

/// Rows of `sync` that spawn nothing: their one task is the root.
const OF_ONE_TASK: [&str; 10] = [
    "send_recv",
    "oneshot",
    "oneshot_wait",
    "lock",
    "read",
    "acquire",
    "notify_kept",
    "idle_bounded",
    "idle_unbounded",
    "idle_lock",
];

/// The workload that spawns nothing.
const WITHOUT_TASKS: &str = "root_ticks";

#[test]
fn a_runtime_that_loses_tasks_fails_every_row_of_sync() {
    for (about, libraries) in sync::all() {
        for library in libraries {
            let run = || sync::run_on::<Lossy>(library, about.name, &tiny());
            let outcome = catch_unwind(AssertUnwindSafe(run));
            let spawns = !OF_ONE_TASK.contains(&about.name);
            assert_eq!(outcome.is_err(), spawns, "{} of {library}: {outcome:?}", about.name);
        }
    }
}

#[test]
fn a_runtime_that_loses_tasks_fails_every_workload() {
    let plan = tiny();
    for about in workloads::all() {
        let run = || workloads::run_named::<Lossy>(about.name, &plan);
        let outcome = catch_unwind(AssertUnwindSafe(run));
        let has_figure = matches!(outcome, Ok(Ok(_)));
        assert_eq!(has_figure, about.name == WITHOUT_TASKS, "{}: {outcome:?}", about.name);
    }
}
