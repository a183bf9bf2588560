//! An async runtime for network servers: tokio's API on a Go-style scheduler.
//!
//! Worker threads run the tasks. Each worker has a slot for the next task, a queue and timers; an
//! idle worker takes tasks from the shared queue, then from the network, then steals half of
//! another worker's queue. A watcher adds threads for tasks that block or compute for long, so that
//! other tasks keep running. Names and semantics follow tokio's.
//!
//! ```
//! # #[cfg(feature = "macros")] {
//! use wsrt::net::{TcpListener, TcpStream};
//!
//! #[wsrt::main]
//! async fn main() -> std::io::Result<()> {
//!     let listener = TcpListener::bind("127.0.0.1:0").await?;
//!     let address = listener.local_addr()?;
//!     let server = wsrt::spawn(async move {
//!         let (mut stream, _) = listener.accept().await?;
//!         stream.write_all(b"hello").await
//!     });
//!
//!     let mut stream = TcpStream::connect(address).await?;
//!     let mut greeting = String::new();
//!     stream.read_to_string(&mut greeting).await?;
//!     assert_eq!(greeting, "hello");
//!     server.await?
//! }
//! # }
//! ```
//!
//! # Where to go next
//!
//! | to | read |
//! |---|---|
//! | learn wsrt, from a first task to a service with a graceful shutdown | [`guide`] |
//! | move a program from tokio | [`guide::from_tokio`] |
//! | run a tokio program and all of its dependencies unchanged | [`guide::drop_in`] |
//! | spawn, wait for, abort and group tasks | [`task`] |
//! | open sockets, files and processes, and catch signals | [`net`], [`io`], [`fs`], [`process`], [`signal`] |
//! | write a whole service: JSON, a database, metrics, an end | [`guide::service`] |
//! | serve HTTP, axum's routers among others, and send requests over pooled connections | the crate [wsrt-hyper] |
//! | wait, give up after a while, and stop the clock in tests | [`time`] |
//! | share state and send messages | [`sync`] |
//! | compute on the same processors | [`parallel`] |
//! | call blocking code, and know what happens if a task blocks | [`guide::blocking`] |
//! | watch the program run, and find out why it is slow | [`guide::seeing`], [`guide::metrics`] |
//! | shut down, and choose threads and limits | [`runtime`] |
//!
//! # Words
//!
//! | here | is | tokio |
//! |---|---|---|
//! | processor | a worker: the right to run tasks, of which there are as many as may run at once | worker |
//! | machine | a thread of the runtime, which runs tasks while it holds a processor | worker thread |
//! | runnext, ring | a worker's slot for the next task, and its queue | LIFO slot, local queue |
//! | injector | the queue that all workers share | global queue |
//! | spare processor | an additional worker, while a task blocks its thread | – |
//!
//! # Flavors
//!
//! | runtime | runs tasks on | made by |
//! |---|---|---|
//! | multi-thread | a worker thread for each core that affinity and control group allow; `WSRT_WORKER_THREADS` sets another number | `#[wsrt::main]`, [`Runtime::new`](runtime::Runtime::new), [`Builder::new_multi_thread`](runtime::Builder::new_multi_thread) |
//! | current-thread | the thread that calls `block_on`, and no other; a task that blocks delays the rest | `#[wsrt::main(flavor = "current_thread")]`, `#[wsrt::test]`, [`Builder::new_current_thread`](runtime::Builder::new_current_thread) |
//! | local | the same thread; its tasks need not be `Send` | [`LocalRuntime`](runtime::LocalRuntime) |
//!
//! Use the multi-thread runtime unless you have a reason not to: only there can other workers help
//! out when a task blocks or computes in parallel.
//!
//! # Platforms
//!
//! | | Linux | macOS | BSD | Windows |
//! |---|---|---|---|---|
//! | checked by | tests | compiler | compiler | compiler |
//! | tasks, `parallel`, `sync`, `time`, `fs`, TCP, UDP | yes | yes | yes | yes |
//! | Unix sockets, pipes, `process`, `signal::unix` | yes | yes | yes | no |
//! | `signal::ctrl_c` | yes | yes | yes | yes |
//! | timers below a millisecond | yes | no | no | no |
//! | threads added for tasks that block | up to 512 | as many as workers | as many as workers | as many as workers |
//! | woken threads get a core at once | from Linux 6.12 | no | no | no |
//!
//! On each change, CI compiles wsrt with all features for 64-bit macOS, FreeBSD and Windows, and
//! for 32-bit Linux; NetBSD, illumos, iOS, Android, musl and ARMv7 were compiled by hand. Only on
//! Linux can the watcher tell a sleeping thread from a busy one; elsewhere both count as busy.
//! Targets without 64-bit atomics, and WebAssembly, are refused at compile time. The minimum
//! supported Rust version is 1.85; raising it requires a new minor version.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `macros` | yes | [`main`](macro@main) and [`test`](macro@test), [`select!`], [`join!`], [`try_join!`], [`pin!`] |
//! | `process` | yes | [`process`]: commands and their pipes, on Unix; needs `signal` |
//! | `signal` | yes | [`signal`]: ctrl-c and Unix signals as futures and streams |
//! | `tokio-io` | yes | tokio's I/O traits on the streams, and what is made of them in [`io`] |
//! | `futures-io` | no | futures-io's traits on the streams |
//! | `futures-task` | no | its trait `Spawn` for [`runtime::Handle`] |
//! | `sim` | no | `wsrt::sim`: runs of a whole runtime on one thread that a seed decides, in virtual time |
//! | `stream` | no | `wsrt::stream`: intervals, listeners, signals, directories and receivers as streams of futures-core, and server-sent events kept alive |
//! | `console` | no | tasks and timers as spans and events of `tracing`, for tokio-console; see below |
//! | `tokio-compat` | no | a tokio runtime in the background, for crates that insist on one; needs `tokio-io`; see below |
//!
//! Without `tokio-io` and `tokio-compat` no crate of tokio's is compiled: sockets, files, pipes and
//! standard streams have their own methods. HTTP is a separate crate, [wsrt-hyper]: hyper's
//! executor, timer and I/O traits, a server for tower services and a pooled client.
//!
//! # Crates that insist on tokio
//!
//! Most crates only need I/O traits, and run on wsrt as they are. Some call `tokio::spawn` or use
//! tokio's sockets and timers, and panic without a tokio runtime: reqwest, sqlx, `axum::serve`,
//! bb8. If you can patch your dependencies, use the drop-in, where `tokio::spawn` is wsrt's:
//! [`guide::drop_in`]. Otherwise feature `tokio-compat` gives each wsrt runtime a tokio runtime in
//! the background, with two threads (`Builder::tokio_threads`), which every thread of wsrt enters.
//! Then
//!
//! - a future that *you* await or spawn on wsrt is polled by wsrt, whichever crate it comes from.
//!   The tokio runtime wakes it when its socket or timer is ready;
//! - a future that a crate passes to `tokio::spawn` runs on the tokio runtime's threads, without
//!   wsrt's promises: two such tasks that block stop the others and all of tokio's sockets and
//!   timers, and no stall report, dump or timeline shows them. `axum::serve` spawns each connection
//!   that way; `wsrt_hyper::serve` runs the same router on wsrt;
//! - on tokio's threads, [`spawn`] and wsrt's sockets and timers work too, and belong to the wsrt
//!   runtime;
//! - in a wsrt task, `tokio::task::block_in_place` just calls its closure, and
//!   `tokio::task::spawn_local` and `tokio::task::id` panic, as they do outside a tokio task. Use
//!   wsrt's functions;
//! - the tokio runtime ends after the wsrt runtime.
//!
//! A program that already has a tokio runtime can pass its handle to `Builder::tokio_handle`; then
//! no other is started.
//!
//! # tokio-console
//!
//! With feature `console`, [tokio-console] shows a program's tasks: names, kinds, spawn sites,
//! polls, busy time and wakes, with warnings about tasks that wake themselves, never yield, or have
//! lost their waker. Set up `console_subscriber` before you create the runtime, and build with
//! `RUSTFLAGS="--cfg console_without_tokio_unstable"`, without which that crate requires tokio's
//! own flag:
//!
//! ```
//! # mod console_subscriber { pub fn init() {} }
//! # async fn serve() -> std::io::Result<()> { Ok(()) }
//! fn main() -> std::io::Result<()> {
//!     console_subscriber::init();
//!     let runtime = wsrt::runtime::Runtime::new()?;
//!     runtime.run(serve())
//! }
//! ```
//!
//! - [`task::Builder::name`] names a task. The future in `block_on` is shown as `block_on`; the
//!   root of `#[wsrt::main]` is a task, and is shown if the subscriber was there first.
//! - Of the resources, only those in [`time`] are shown: sleeps, intervals and timeouts, from their
//!   first wait on. Sockets, and the channels and locks of [`sync`], are not.
//! - The subscriber has to be the process's default, not a thread's.
//! - console-subscriber 0.5 takes in 128 new tasks, new timers and polls of timers each time it
//!   publishes, once a second by default. A busier program is shown with a growing delay, unless
//!   its `Builder::publish_interval` is shorter.
//! - Other subscribers that are interested in level TRACE get these spans as well, with targets
//!   that begin with `tokio::` and `runtime::`.
//!
//! The console is for development. With console-subscriber 0.5, a task that is shown costs some ten
//! microseconds at its spawn, nearly all of them the subscriber's, and a third of a microsecond for
//! each wake and poll: about as much as a tokio task. With the feature on and no interested
//! subscriber, a spawn costs some 15 ns more, and a task is one word larger.
//!
//! [tokio-console]: https://docs.rs/tokio-console
//! [wsrt-hyper]: https://docs.rs/wsrt-hyper
// Pages name items of all features, and some builds have fewer: the builds of the drop-in's users,
// for one, whose `cargo doc` would fail by this.
#![cfg_attr(not(all(feature = "macros", feature = "tokio-io")), allow(rustdoc::broken_intra_doc_links))]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(docsrs, doc(auto_cfg(hide(loom))))]
// Under loom the rooms below are compiled alone, and no public module reaches their public items.
#![cfg_attr(loom, allow(unreachable_pub))]

mod blocking;
mod fork_join;
mod observe;
mod scheduler;
pub mod task;
mod util;

#[cfg(not(loom))]
mod local;
#[cfg(not(loom))]
mod sysmon;
#[cfg(all(not(loom), feature = "tokio-compat"))]
mod tokio_compat;
#[cfg(all(not(loom), not(feature = "tokio-compat")))]
#[path = "tokio_compat_off.rs"]
mod tokio_compat;

#[cfg(not(loom))]
pub mod fs;
#[cfg(not(loom))]
pub mod guide;
#[cfg(not(loom))]
pub mod io;
#[cfg(not(loom))]
pub mod parallel;
#[cfg(all(not(loom), unix, feature = "process"))]
pub mod process;
#[cfg(not(loom))]
pub mod runtime;
#[cfg(all(not(loom), feature = "signal"))]
pub mod signal;
#[cfg(all(not(loom), feature = "sim"))]
pub mod sim;
#[cfg(all(not(loom), feature = "stream"))]
pub mod stream;
#[cfg(not(loom))]
pub mod sync;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod team;
#[cfg(not(loom))]
pub mod time;

#[cfg(not(loom))]
pub use crate::task::spawn::spawn;
#[cfg(all(not(loom), feature = "macros"))]
pub use wsrt_macros::{main, test};
#[cfg(not(loom))]
#[doc(inline)]
pub use wsrt_reactor::net;
#[cfg(all(not(loom), feature = "macros"))]
#[doc(inline)]
pub use wsrt_sync::{join, pin, select, try_join};
