//! The interface that a workload sees of a runtime, and the runtimes that implement it.
//!
//! All of them have its methods under one name or another, so that implementing it adds nothing to
//! the figures: each method is one call of the runtime's own. Spawning is a function without a
//! receiver, because that is how tasks spawn in programs; an ordinary thread has a
//! [`Runtime::Handle`].

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Instant;

mod joined;
mod smol;
mod tokio;
#[cfg(feature = "wsrt")]
mod wsrt;

pub use joined::Joined;
pub use smol::{Listed, Smol, Static};
pub use tokio::Tokio;
#[cfg(feature = "wsrt")]
pub use wsrt::Wsrt;

use socket2::{Domain, Socket, Type};

use crate::Failure;
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::workloads;

/// So many connections may wait to be accepted. Each runtime has a default of its own, 128 with
/// tokio and smol, 1024 with wsrt; and a client that finds no room tries again after a second,
/// which no generator counts: a server with little room looks fast while its clients wait outside.
const BACKLOG: i32 = 1024;

/// Listens on `address`: the socket of each runtime's listener.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// A future that a task can run.
pub trait Work: Future<Output: Send + 'static> + Send + 'static {}

impl<F: Future<Output: Send + 'static> + Send + 'static> Work for F {}

/// A runtime as the workloads see it.
pub trait Runtime: Sized + 'static {
    /// A spawned task; awaiting it gives its output, dropping it is not done by any workload, for
    /// it detaches the task with some and cancels it with others (see [`spawn_detached`]).
    ///
    /// [`spawn_detached`]: Runtime::spawn_detached
    type Task<T: Send + 'static>: Future<Output = T> + Send + 'static;
    /// The handle through which a thread outside the runtime spawns.
    type Handle: Clone + Send + Sync + 'static;
    /// A listening TCP socket.
    type Listener: Send + Sync + 'static;
    /// A TCP connection.
    type Stream: Send + 'static;

    /// Starts a runtime with `workers` worker threads, timers and sockets included, as its users
    /// would have it.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it has no threads or descriptors to give.
    fn build(workers: usize) -> io::Result<Self>;

    /// Runs `root` as a spawned task, on a worker, while the calling thread waits.
    fn run<F: Work>(&self, root: F) -> F::Output {
        self.block_on(Self::spawn_on(&self.handle(), root))
    }

    /// Runs `root` where the runtime's own `main` runs the root future: on a processor with wsrt,
    /// on the calling thread beside the workers with the others.
    fn run_as_main<F: Work>(&self, root: F) -> F::Output;

    /// Polls `future` on the calling thread until it is done.
    fn block_on<F: Future>(&self, future: F) -> F::Output;

    /// Returns the handle for threads outside.
    fn handle(&self) -> Self::Handle;

    /// Spawns from outside the runtime.
    fn spawn_on<F: Work>(handle: &Self::Handle, future: F) -> Self::Task<F::Output>;

    /// Spawns from inside a task or of the root future.
    fn spawn<F: Work>(future: F) -> Self::Task<F::Output>;

    /// Spawns from inside a task; the spawned task is never awaited.
    fn spawn_detached<F: Work>(future: F) {
        // With tokio and wsrt this detaches.
        drop(Self::spawn(future));
    }

    /// Calls `job` on a thread for blocking work, from inside a task that awaits it.
    fn spawn_blocking<T: Send + 'static>(
        job: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = T> + Send + 'static;

    /// Lets other tasks run first.
    fn yield_now() -> impl Future<Output = ()> + Send;

    /// Waits until `deadline`.
    fn sleep_until(deadline: Instant) -> impl Future<Output = ()> + Send;

    /// Listens on `address`, as [`listen`] does.
    fn bind(address: SocketAddr) -> impl Future<Output = io::Result<Self::Listener>> + Send;

    /// Returns the address that `listener` listens on.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    fn local_addr(listener: &Self::Listener) -> io::Result<SocketAddr>;

    /// Takes the next connection.
    fn accept(listener: &Self::Listener) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    /// Connects to `address`.
    fn connect(address: SocketAddr) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    /// Has small writes leave at once, whatever is not yet acknowledged.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    fn set_nodelay(stream: &Self::Stream) -> io::Result<()>;

    /// Reads the bytes that have come, at most `buffer`; 0 at the end of the stream.
    fn read(stream: &mut Self::Stream, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> + Send;

    /// Writes all of `bytes`.
    fn write_all(stream: &mut Self::Stream, bytes: &[u8]) -> impl Future<Output = io::Result<()>> + Send;

    /// Copies in both directions until both have ended; returns the bytes from `a` to `b` and from
    /// `b` to `a`. If `hidden`, the runtime does not see that they are sockets.
    fn copy_bidirectional(
        a: &mut Self::Stream,
        b: &mut Self::Stream,
        hidden: bool,
    ) -> impl Future<Output = io::Result<(u64, u64)>> + Send;
}

/// A runtime by name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name on the command line and in the table.
    pub name: &'static str,
    /// Runs the named workload on it.
    pub run: fn(workload: &str, plan: &Plan) -> Result<Vec<Measurement>, Failure>,
}

/// The name of the runtime that all the others are rivals of.
pub const SUBJECT: &str = "wsrt";

/// The name of the rival that is no library: its workloads are a program of their own.
pub const GO: &str = "go";

/// The runtimes of this build, wsrt first. A new one needs its file and its line here.
pub fn all() -> Vec<Entry> {
    vec![
        #[cfg(feature = "wsrt")]
        entry::<Wsrt>(SUBJECT),
        entry::<Tokio>("tokio"),
        entry::<Smol<Listed>>("smol"),
        entry::<Smol<Static>>("smol_static"),
    ]
}

/// Finds a runtime by its name.
///
/// # Errors
///
/// Returns an error that lists the names there are.
pub fn find(name: &str) -> Result<Entry, Failure> {
    let all = all();
    match all.iter().find(|entry| entry.name == name) {
        Some(entry) => Ok(*entry),
        None => {
            let names: Vec<_> = all.iter().map(|entry| entry.name).collect();
            Err(format!("no runtime {name:?} in this build; there are {}", names.join(", ")).into())
        }
    }
}

fn entry<R: Runtime>(name: &'static str) -> Entry {
    Entry { name, run: workloads::run_named::<R> }
}
