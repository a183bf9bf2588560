//! tokio: the multi-threaded runtime with everything enabled, as `#[tokio::main]` builds it.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;

use super::{Joined, Runtime, Work, listen};

/// tokio's multi-threaded runtime.
#[derive(Debug)]
pub struct Tokio(tokio::runtime::Runtime);

impl Runtime for Tokio {
    type Task<T: Send + 'static> = Joined<JoinHandle<T>>;
    type Handle = Handle;
    type Listener = TcpListener;
    type Stream = TcpStream;

    fn build(workers: usize) -> io::Result<Self> {
        Builder::new_multi_thread().worker_threads(workers).enable_all().build().map(Self)
    }

    fn run_as_main<F: Work>(&self, root: F) -> F::Output {
        self.0.block_on(root)
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    fn handle(&self) -> Handle {
        self.0.handle().clone()
    }

    fn spawn_on<F: Work>(handle: &Handle, future: F) -> Self::Task<F::Output> {
        Joined(handle.spawn(future))
    }

    fn spawn<F: Work>(future: F) -> Self::Task<F::Output> {
        Joined(tokio::spawn(future))
    }

    fn spawn_blocking<T: Send + 'static>(
        job: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = T> + Send + 'static {
        Joined(tokio::task::spawn_blocking(job))
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        tokio::task::yield_now()
    }

    fn sleep_until(deadline: Instant) -> impl Future<Output = ()> + Send {
        tokio::time::sleep_until(deadline.into())
    }

    async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
        TcpListener::from_std(listen(address)?)
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

    async fn copy_bidirectional(mut a: &mut TcpStream, mut b: &mut TcpStream, hidden: bool) -> io::Result<(u64, u64)> {
        match hidden {
            true => tokio::io::copy_bidirectional(&mut a, &mut b).await,
            false => tokio::io::copy_bidirectional(a, b).await,
        }
    }
}
