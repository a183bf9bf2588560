//! wsrt: the multi-threaded runtime with its defaults.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Instant;

use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Handle};
use wsrt::task::JoinHandle;

use super::{Joined, Runtime, Work, listen};

/// wsrt's multi-threaded runtime.
#[derive(Debug)]
pub struct Wsrt(wsrt::runtime::Runtime);

impl Runtime for Wsrt {
    type Task<T: Send + 'static> = Joined<JoinHandle<T>>;
    type Handle = Handle;
    type Listener = TcpListener;
    type Stream = TcpStream;

    fn build(workers: usize) -> io::Result<Self> {
        Builder::new_multi_thread().worker_threads(workers).build().map(Self)
    }

    fn run_as_main<F: Work>(&self, root: F) -> F::Output {
        self.0.run(root)
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
        Joined(wsrt::spawn(future))
    }

    fn spawn_blocking<T: Send + 'static>(
        job: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = T> + Send + 'static {
        Joined(wsrt::task::spawn_blocking(job))
    }

    async fn yield_now() {
        wsrt::task::yield_now().await;
    }

    fn sleep_until(deadline: Instant) -> impl Future<Output = ()> + Send {
        wsrt::time::sleep_until(deadline.into())
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

    async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(address).await
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
            true => wsrt::io::copy_bidirectional(&mut a, &mut b).await,
            false => wsrt::io::copy_bidirectional(a, b).await,
        }
    }
}
