//! An async runtime for network servers, with a scheduler in the manner of Go's.
//!
//! Processors, each with a slot for the next task, a queue and timers, run the tasks. An idle
//! processor takes tasks from the shared queue, then from the network, then steals half of
//! another's queue. Names and meanings follow tokio's where the thing is the same.
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
//! | begin: from a first task to a service that ends gracefully | [`guide`] |
//! | move a program from tokio; each item names its differences as well | [`guide::from_tokio`] |
//! | run a tokio program, and all its dependencies, without a change | [`guide::drop_in`] |
//! | spawn, wait for, abort and group tasks | [`task`] |
//! | open sockets, files and processes, and catch signals | [`net`], [`io`], [`fs`], [`process`], [`signal`] |
//! | write a whole service: JSON, a database, metrics, an end | [`guide::service`] |
//! | serve HTTP, axum's routers among others, and send requests over pooled connections | the crate [wsrt-hyper] |
//! | wait, give up after a while, and stop the clock in tests | [`time`] |
//! | share state and send messages | [`sync`] |
//! | compute on the same processors | [`parallel`] |
//! | call what blocks, and know what happens if you do | [`guide::blocking`] |
//! | watch the program run, and find out why it is slow | [`guide::seeing`], [`guide::metrics`] |
//! | end it, and choose its threads and limits | [`runtime`] |
//!
//! # Words
//!
//! | here | is | tokio |
//! |---|---|---|
//! | processor | the right to run tasks; there are as many as may run at once | worker |
//! | machine | a thread of the runtime, which runs tasks while it holds a processor | worker thread |
//! | runnext, ring | a processor's slot for the next task, and its queue | LIFO slot, local queue |
//! | injector | the queue that all processors share | global queue |
//! | spare processor | one put in for a task that blocks its thread | – |
//!
//! # Flavors
//!
//! | runtime | runs tasks on | made by |
//! |---|---|---|
//! | multi-thread | a processor for each core that affinity and control group allow; `WSRT_WORKER_THREADS` sets another number | `#[wsrt::main]`, [`Runtime::new`](runtime::Runtime::new), [`Builder::new_multi_thread`](runtime::Builder::new_multi_thread) |
//! | current-thread | the thread that calls `block_on`, and no other; a task that blocks holds up the rest | `#[wsrt::main(flavor = "current_thread")]`, `#[wsrt::test]`, [`Builder::new_current_thread`](runtime::Builder::new_current_thread) |
//! | local | the same thread; its tasks need not be `Send` | [`LocalRuntime`](runtime::LocalRuntime) |
//!
//! Take the first unless you know why not: a blocked task, and computing in parallel, have other
//! processors there.
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
//! | threads put in for tasks that block | up to 512 | as many as workers | as many as workers | as many as workers |
//! | woken threads get a core at once | from Linux 6.12 | no | no | no |
//!
//! The compiler checks 64-bit macOS, FreeBSD and Windows, and 32-bit Linux, with all features, on
//! each change; NetBSD, illumos, iOS, Android, musl and ARMv7 were checked so by hand. Only Linux
//! tells the watcher that a blocked thread sleeps; elsewhere such a thread counts as one that
//! computes. Targets without 64-bit atomics, and WebAssembly, are refused when wsrt is compiled.
//! Rust 1.85 is the oldest that works; a newer minimum is a new minor version.
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
//! Most crates ask for no more than I/O traits, and run on wsrt as they are. Some call
//! `tokio::spawn` or use tokio's sockets and timers, and panic where there is no tokio runtime:
//! reqwest, sqlx, `axum::serve`, bb8. For them, feature `tokio-compat` gives each wsrt runtime a
//! tokio runtime in the background, with two threads
//! (`Builder::tokio_threads`), which every thread of wsrt's enters. Then
//!
//! - a future that *you* await or spawn on wsrt is polled by wsrt, whichever crate it is from. The
//!   tokio runtime wakes it when its socket or timer is ready;
//! - a future that a crate gives to `tokio::spawn` runs on the tokio runtime's threads: it neither
//!   uses wsrt's processors nor has its promises. No spare replaces one that blocks, and two
//!   that do stop the others and all of tokio's sockets and timers; no stall report, no dump and no
//!   timeline shows them. `axum::serve` spawns each connection so; `wsrt_hyper::serve` runs the
//!   same router on wsrt;
//! - there, [`spawn`], wsrt's sockets and its timers work too, and belong to the wsrt runtime;
//! - `tokio::task::block_in_place` in a task of wsrt's just calls its closure, and
//!   `tokio::task::spawn_local` and `tokio::task::id` panic there, as outside a task of tokio's.
//!   Use wsrt's own;
//! - the tokio runtime ends when the wsrt runtime is dropped, after it.
//!
//! Without the feature there is no trace of it. With it, a runtime has two threads more, which
//! sleep unless they are used. A program that can patch its dependencies does better with the
//! drop-in, where `tokio::spawn` is wsrt's: [`guide::drop_in`]. One that has a tokio runtime of its
//! own lends that one, by `Builder::tokio_handle`, and none is started.
//!
//! # tokio-console
//!
//! With feature `console`, [tokio-console] shows a program's tasks: their names, kinds and spawn
//! sites, polls, busy time, wakes, and its warnings about tasks that wake themselves, never yield,
//! or have lost their waker. The program sets up `console_subscriber` before it makes its runtime,
//! and is built with `RUSTFLAGS="--cfg console_without_tokio_unstable"`, without which that crate
//! asks for tokio's own flag:
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
//! - [`task::Builder::name`] gives a task its name. The future in `block_on` is shown as
//!   `block_on`; the root of `#[wsrt::main]` is a task, and is shown if the subscriber was there
//!   before it.
//! - Of the resources, [`time`]'s are shown: sleeps, intervals and timeouts, each from its first
//!   wait on. Sockets are not, nor are the channels and locks of [`sync`]. tokio's own show
//!   themselves when tokio is built to (`--cfg tokio_unstable`, its feature `tracing`).
//! - The subscriber has to be the process's default. One that is set for a thread sees only the
//!   events on that thread.
//! - console-subscriber 0.5 takes in 128 new tasks, new timers and polls of timers each time it
//!   publishes, and publishes once a second. A program that does more than that is shown late, and
//!   later and later: its `Builder::publish_interval` helps.
//! - Any other subscriber that is interested in level TRACE gets these spans too: the targets begin
//!   with `tokio::` and `runtime::`.
//!
//! It is meant for looking, not for production. With console-subscriber 0.5 a task that is shown
//! costs some ten microseconds at its spawn, nearly all of them the subscriber's, and a third of
//! one for each wake and poll: about as much as a task of tokio's. With the feature on and no
//! subscriber interested, a task costs some 15 ns more at its spawn and is one word larger; polls
//! and wakes cost as much as without. Without the feature there is no trace of it.
//!
//! [tokio-console]: https://docs.rs/tokio-console
//! [wsrt-hyper]: https://docs.rs/wsrt-hyper
// Pages name items of all features, and some builds have fewer: those of the drop-in's users, for
// one, whose `cargo doc` would fail by this.
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
