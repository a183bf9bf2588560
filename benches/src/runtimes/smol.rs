//! smol: one executor for the process, run by as many threads as asked for, with async-io for the
//! sockets.
//!
//! `smol::spawn` sets up the same under `SMOL_THREADS`: a global executor, and threads that run it
//! inside async-io's `block_on`, so that each of them also polls the reactor when it has nothing
//! to run. async-executor has two executors to choose from, and so there are two entries.

use std::fmt::Debug;
use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use async_channel::{Receiver, Sender};
use async_executor::{Executor, StaticExecutor, Task};
use async_net::{TcpListener, TcpStream};
use futures_lite::{AsyncReadExt, AsyncWriteExt, future};

use super::{Runtime, Work, listen};

/// One of async-executor's executors, as a global.
pub trait Global: Debug + Send + Sync + 'static {
    /// Spawns onto it.
    fn spawn<F: Work>(future: F) -> Task<F::Output>;

    /// Runs its tasks until `end` is ready.
    fn run<F: Future>(end: F) -> impl Future<Output = F::Output>;
}

/// `Executor`, which `smol::spawn` uses: it keeps a list of its tasks under a lock, to drop them
/// with itself.
#[derive(Debug)]
pub struct Listed;

/// `StaticExecutor`, which is never dropped and so keeps no list: faster at spawning, for programs
/// that ask for it.
#[derive(Debug)]
pub struct Static;

static LISTED: Executor<'static> = Executor::new();
static STATIC: StaticExecutor = StaticExecutor::new();

impl Global for Listed {
    fn spawn<F: Work>(future: F) -> Task<F::Output> {
        LISTED.spawn(future)
    }

    fn run<F: Future>(end: F) -> impl Future<Output = F::Output> {
        LISTED.run(end)
    }
}

impl Global for Static {
    fn spawn<F: Work>(future: F) -> Task<F::Output> {
        STATIC.spawn(future)
    }

    fn run<F: Future>(end: F) -> impl Future<Output = F::Output> {
        STATIC.run(end)
    }
}

/// The threads that run smol's global executor; dropping it stops them.
///
/// Where several are alive in one process (only in tests), their threads share the executor.
#[derive(Debug)]
pub struct Smol<G> {
    stop: Sender<()>,
    threads: Vec<JoinHandle<()>>,
    global: PhantomData<G>,
}

impl<G: Global> Smol<G> {
    fn start_thread(number: usize, stopped: Receiver<()>) -> io::Result<JoinHandle<()>> {
        thread::Builder::new().name(format!("smol-{number}")).spawn(move || {
            // Only the end of the channel is awaited: nothing is ever sent.
            let _closed = async_io::block_on(G::run(stopped.recv()));
        })
    }
}

impl<G> Drop for Smol<G> {
    fn drop(&mut self) {
        self.stop.close();
        for thread in self.threads.drain(..) {
            // A panic of a worker has already been printed, and failed the workload that lost its
            // task.
            let _outcome = thread.join();
        }
    }
}

impl<G: Global> Runtime for Smol<G> {
    type Task<T: Send + 'static> = Task<T>;
    /// The executor is a global: there is nothing to hold.
    type Handle = ();
    type Listener = TcpListener;
    type Stream = TcpStream;

    fn build(workers: usize) -> io::Result<Self> {
        let (stop, stopped) = async_channel::bounded(1);
        let mut smol = Self { stop, threads: Vec::with_capacity(workers), global: PhantomData };
        for number in 0..workers {
            let thread = Self::start_thread(number, stopped.clone())?;
            smol.threads.push(thread);
        }
        Ok(smol)
    }

    fn run_as_main<F: Work>(&self, root: F) -> F::Output {
        async_io::block_on(root)
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        async_io::block_on(future)
    }

    fn handle(&self) -> Self::Handle {}

    fn spawn_on<F: Work>((): &Self::Handle, future: F) -> Task<F::Output> {
        G::spawn(future)
    }

    fn spawn<F: Work>(future: F) -> Task<F::Output> {
        G::spawn(future)
    }

    fn spawn_detached<F: Work>(future: F) {
        G::spawn(future).detach();
    }

    fn spawn_blocking<T: Send + 'static>(
        job: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = T> + Send + 'static {
        blocking::unblock(job)
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        future::yield_now()
    }

    async fn sleep_until(deadline: Instant) {
        async_io::Timer::at(deadline).await;
    }

    async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
        listen(address)?.try_into()
    }

    fn local_addr(listener: &TcpListener) -> io::Result<SocketAddr> {
        listener.local_addr()
    }

    async fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
        listener.accept().await.map(|(stream, _peer)| stream)
    }

    fn connect(address: SocketAddr) -> impl Future<Output = io::Result<TcpStream>> + Send {
        TcpStream::connect(address)
    }

    fn set_nodelay(stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)
    }

    async fn read(stream: &mut TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        stream.read(buffer).await
    }

    async fn write_all(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
        stream.write_all(bytes).await
    }

    async fn copy_bidirectional(a: &mut TcpStream, b: &mut TcpStream, _hidden: bool) -> io::Result<(u64, u64)> {
        future::try_zip(copy(a.clone(), b.clone()), copy(b.clone(), a.clone())).await
    }
}

/// Copies in one direction; it has no function for both.
async fn copy(from: TcpStream, mut to: TcpStream) -> io::Result<u64> {
    let copied = futures_lite::io::copy(from, &mut to).await?;
    to.close().await?;
    Ok(copied)
}
