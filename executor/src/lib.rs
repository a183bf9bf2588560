//! An async runtime for network servers: tokio's API on a Go-style scheduler.
//!
//! Worker threads run the tasks. Each worker has a slot for the next task, a queue of tasks, and
//! timers. An idle worker takes tasks from the queue that all workers share, then checks the
//! network, then steals half of another worker's queue. When a task blocks or computes for long, a
//! watcher adds a thread, so that other tasks keep running. Names and semantics follow tokio's.
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
//! | goal | where to read |
//! |---|---|
//! | learn wsrt, from the first task to a service that shuts down gracefully | [`guide`] |
//! | port a program from tokio | [`guide::from_tokio`] |
//! | run a tokio program and its dependencies without changes | [`guide::drop_in`] |
//! | spawn, wait for, abort and group tasks | [`task`] |
//! | use sockets and files, start processes, and handle signals | [`net`], [`io`], [`fs`], [`process`], [`signal`] |
//! | write a complete service, with JSON, a database, metrics and a shutdown | [`guide::service`] |
//! | serve HTTP, for example with axum, and send requests over pooled connections | the crate [wsrt-hyper] |
//! | sleep, set timeouts, and pause the clock in tests | [`time`] |
//! | limit a future, or let one end that nobody waits for | [`future`] |
//! | test that futures can be dropped wherever they wait | [`mod@test`], [`guide::cancel_safety`] |
//! | share state and send messages between tasks | [`sync`] |
//! | run parallel computations on the same processors | [`parallel`] |
//! | call blocking code, and learn what happens when a task blocks | [`guide::blocking`] |
//! | observe a running program, and find out why it is slow | [`guide::seeing`], [`guide::metrics`] |
//! | shut down a runtime, and configure its threads and limits | [`runtime`] |
//!
//! # Terms
//!
//! | term | meaning | tokio's term |
//! |---|---|---|
//! | processor | a worker: the right to run tasks; the number of processors limits how many tasks run at once | worker |
//! | machine | a thread of the runtime that runs tasks while it holds a processor | worker thread |
//! | runnext, ring | a worker's slot for the next task, and its queue | LIFO slot, local queue |
//! | injector | the queue that all workers share | global queue |
//! | spare processor | an additional worker that runs the other tasks while a task blocks its thread | – |
//!
//! # Flavors
//!
//! | runtime | threads that run tasks | created by |
//! |---|---|---|
//! | multi-thread | one worker thread for each core that CPU affinity and control group allow; `WSRT_WORKER_THREADS` sets another number | `#[wsrt::main]`, [`Runtime::new`](runtime::Runtime::new), [`Builder::new_multi_thread`](runtime::Builder::new_multi_thread) |
//! | current-thread | only the thread that calls `block_on`; a task that blocks delays all others | `#[wsrt::main(flavor = "current_thread")]`, `#[wsrt::test]`, [`Builder::new_current_thread`](runtime::Builder::new_current_thread) |
//! | local | the thread that created the runtime; tasks need not be `Send` | [`LocalRuntime`](runtime::LocalRuntime) |
//!
//! Use the multi-thread runtime unless you have a reason not to. Only there can other workers take
//! over when a task blocks, and help when a task computes in parallel.
//!
//! # Platforms
//!
//! | | Linux | macOS | BSD | Windows |
//! |---|---|---|---|---|
//! | checked in CI by | tests | compiler | compiler | compiler |
//! | tasks, `parallel`, `sync`, `time`, `fs`, TCP, UDP | yes | yes | yes | yes |
//! | Unix sockets, pipes, `process`, `signal::unix` | yes | yes | yes | no |
//! | `signal::ctrl_c`, `signal::shutdown` | yes | yes | yes | yes |
//! | timers below a millisecond | yes | no | no | no |
//! | limit on threads added for tasks that block | 512 | number of workers | number of workers | number of workers |
//! | woken threads get a core immediately | since Linux 6.12 | no | no | no |
//!
//! For each change, CI compiles wsrt with all features for 64-bit macOS, FreeBSD and Windows, and
//! for 32-bit Linux. Builds for NetBSD, illumos, iOS, Android, musl and ARMv7 were checked by hand.
//! Only on Linux can the watcher distinguish a sleeping thread from a busy thread; on other
//! systems, both count as busy. Targets without 64-bit atomics, and WebAssembly, are not supported.
//! The minimum supported Rust version is 1.85; raising it requires a new minor version.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `backtrace` | yes | the stacks of stalls, on Linux on x86-64 and AArch64 ([`runtime::Stall::backtrace`]) |
//! | `macros` | yes | [`main`](macro@main) and [`test`](macro@test), [`select!`], [`join!`], [`try_join!`], [`pin!`] |
//! | `process` | yes | [`process`]: child processes and their pipes, on Unix; requires `signal` |
//! | `signal` | yes | [`signal`]: ctrl-c and Unix signals as futures and streams |
//! | `tokio-io` | yes | tokio's I/O traits for wsrt's streams, and the items of [`io`] that build on the traits |
//! | `futures-io` | no | the traits of the crate futures-io for wsrt's streams |
//! | `futures-task` | no | the trait `Spawn` of the crate futures-task for [`runtime::Handle`] |
//! | `sim` | no | `wsrt::sim`: deterministic simulation of a whole runtime on one thread, from a seed and in virtual time |
//! | `stream` | no | `wsrt::stream`: intervals, listeners, signals, directories and receivers as streams of futures-core, and keep-alives for server-sent events |
//! | `tracing` | no | the runtime's reports as events of `tracing` ([`runtime::Builder::on_report`]) |
//! | `console` | no | tasks, timers, locks and channels as spans and events of `tracing`, for tokio-console, as described below |
//! | `tokio-compat` | no | a background tokio runtime for crates that require one, as described below; requires `tokio-io` |
//!
//! Without `tokio-io` and `tokio-compat`, wsrt does not depend on the crate `tokio`: sockets,
//! files, pipes and standard streams have their own methods. HTTP support is in a separate crate,
//! [wsrt-hyper], which implements hyper's executor, timer and I/O traits, and has a server for
//! tower services and a pooled client.
//!
//! # Crates that require tokio
//!
//! Most crates only need I/O traits, and run on wsrt unchanged. Some crates, such as reqwest, sqlx,
//! bb8 and `axum::serve`, call `tokio::spawn` or use tokio's sockets and timers, and panic without
//! a tokio runtime. If you can patch your dependencies, use the drop-in replacement for tokio,
//! which maps `tokio::spawn` to wsrt ([`guide::drop_in`]). Otherwise, use the feature
//! `tokio-compat`. It gives each wsrt runtime a background tokio runtime, with two threads by
//! default (`Builder::tokio_threads`), which every thread of wsrt enters. Then:
//!
//! - A future that *you* await or spawn on wsrt is polled by wsrt, whichever crate created the
//!   future. The tokio runtime wakes the future when its socket or timer is ready.
//! - A future that a crate passes to `tokio::spawn` runs on the tokio runtime's threads, without
//!   wsrt's guarantees. Two such tasks that block stop all other tokio tasks, sockets and timers.
//!   Stall reports, dumps and timelines do not show these tasks. `axum::serve` spawns each
//!   connection in this way; `wsrt_hyper::serve` runs the same router on wsrt.
//! - On tokio's threads, [`spawn`] and wsrt's sockets and timers work too, on the wsrt runtime.
//! - In a wsrt task, `tokio::task::block_in_place` simply calls its closure.
//!   `tokio::task::spawn_local` and `tokio::task::id` panic there. Use wsrt's functions instead.
//! - The tokio runtime shuts down after the wsrt runtime.
//!
//! A program that already has a tokio runtime can pass the runtime's handle to
//! `Builder::tokio_handle`. In this case, wsrt does not start a background tokio runtime.
//!
//! # tokio-console
//!
//! With the feature `console`, [tokio-console] shows a program's tasks: their names, kinds, spawn
//! locations, polls, busy times and wakes. tokio-console also warns about tasks that wake
//! themselves, never yield, or have lost their waker. Initialize `console_subscriber` before you
//! create the runtime, and build with `RUSTFLAGS="--cfg console_without_tokio_unstable"`; otherwise
//! the crate requires tokio's own flag:
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
//! - [`task::Builder::name`] sets the name that is shown for a task. The future passed to
//!   `block_on` is shown as `block_on`. The root future of `#[wsrt::main]` is a task, and is shown
//!   if the subscriber was initialized before the runtime was created.
//! - The resources shown are the sleeps, intervals and timeouts of [`time`], and the channels and
//!   locks of [`sync`]: each from the first time a task waits for it. Sockets are not shown.
//! - The subscriber has to be the default subscriber of the process, not of a thread.
//! - console-subscriber 0.5 publishes once a second by default, and accepts at most 128 new tasks,
//!   new resources and polls of resources each time. A busier program is shown with a growing
//!   delay, unless a shorter `Builder::publish_interval` is set on the subscriber.
//! - Other subscribers that enable level TRACE receive these spans as well. The targets of the
//!   spans begin with `tokio::` and `runtime::`.
//!
//! The console is intended for development. With console-subscriber 0.5, spawning a task that is
//! shown costs about ten microseconds, nearly all of them in the subscriber, and each wake and poll
//! costs a third of a microsecond. A tokio task costs about as much. If the feature is on but no
//! subscriber is interested, a spawn costs about 15 ns more, and each task is one word larger.
//!
//! [tokio-console]: https://docs.rs/tokio-console
//! [wsrt-hyper]: https://docs.rs/wsrt-hyper
// Pages name items of all features, and some builds have fewer: the builds of the drop-in's users,
// for one, whose `cargo doc` would fail by this.
#![cfg_attr(not(all(feature = "macros", feature = "tokio-io")), allow(rustdoc::broken_intra_doc_links))]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(docsrs, doc(auto_cfg(hide(wsrt_loom))))]
// Under loom the rooms below are compiled alone, and no public module reaches their public items.
#![cfg_attr(wsrt_loom, allow(unreachable_pub))]

mod blocking;
mod fork_join;
mod observe;
mod scheduler;
pub mod task;
mod util;

#[cfg(not(wsrt_loom))]
mod local;
#[cfg(not(wsrt_loom))]
mod sysmon;
#[cfg(all(not(wsrt_loom), feature = "tokio-compat"))]
mod tokio_compat;
#[cfg(all(not(wsrt_loom), not(feature = "tokio-compat")))]
#[path = "tokio_compat_off.rs"]
mod tokio_compat;

#[cfg(not(wsrt_loom))]
pub mod fs;
#[cfg(not(wsrt_loom))]
pub mod future;
#[cfg(not(wsrt_loom))]
pub mod guide;
#[cfg(not(wsrt_loom))]
pub mod io;
#[cfg(not(wsrt_loom))]
pub mod parallel;
#[cfg(all(not(wsrt_loom), unix, feature = "process"))]
pub mod process;
#[cfg(not(wsrt_loom))]
pub mod runtime;
#[cfg(all(not(wsrt_loom), feature = "signal"))]
pub mod signal;
#[cfg(all(not(wsrt_loom), feature = "sim"))]
pub mod sim;
#[cfg(all(not(wsrt_loom), feature = "stream"))]
pub mod stream;
#[cfg(not(wsrt_loom))]
pub mod sync;
#[cfg(not(wsrt_loom))]
#[doc(hidden)]
pub mod team;
#[cfg(not(wsrt_loom))]
pub mod test;
#[cfg(not(wsrt_loom))]
pub mod time;

#[cfg(not(wsrt_loom))]
pub use crate::task::spawn::spawn;
#[cfg(all(not(wsrt_loom), feature = "macros"))]
pub use wsrt_macros::{main, test};
#[cfg(not(wsrt_loom))]
#[doc(inline)]
pub use wsrt_reactor::net;
#[cfg(all(not(wsrt_loom), feature = "macros"))]
#[doc(inline)]
pub use wsrt_sync::{join, pin, select, try_join};
