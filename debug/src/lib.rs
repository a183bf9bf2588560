//! Pages that show a running program on [wsrt]: what each task waits for, which polls stall, the
//! metrics, and timelines of the next seconds. The counterpart of Go's `net/http/pprof`.
//!
//! | page | shows |
//! |---|---|
//! | `/` | an index for people |
//! | `/tasks` | each task and what it waits for; `?format=json` for programs |
//! | `/tasks?chains` | the same with the lines where it waits: polls each waiting task once |
//! | `/locks` | the locks and channels that tasks wait for, their holders, and deadlocks |
//! | `/stalls` | polls that take too long, now and since the start, with their stacks |
//! | `/sites?seconds=5` | which spawn sites' polls take the time, in the next five seconds |
//! | `/profile?seconds=5` | what the next five seconds' CPU time is used for: flame graphs by spawn site; `&format=text` is for tools that draw them |
//! | `/metrics` | the figures of wsrt's guide, for Prometheus |
//! | `/trace?seconds=5` | a timeline of the next five seconds, for <https://ui.perfetto.dev> |
//! | `/report?seconds=5` | the same as a page to read |
//! | `/flight` | what the flight recorder holds: the last seconds |
//!
//! The pages show all runtimes of the process. `?runtime=2` chooses one: its id is on the index.
//! `/trace` and `/report` take `&cpu=99` as well, for 99 CPU samples a second.
//!
//! # A server of its own
//!
//! Call [`init`] at the start of `main`, and set `WSRT_DEBUG=127.0.0.1:6670` when you want to look.
//! [`serve`] needs no variable. The server has one thread, and a thread for each answer that is
//! being made, none of them the runtime's: the pages answer when every worker is stuck.
//!
//! # In a router
//!
//! With the feature `tower`, which is on by default, `Service` is a tower service with the same
//! pages, for axum and other routers.
//!
//! # Who may look
//!
//! The pages show names, addresses and source locations, and a timeline takes some of the program's
//! time. So [`serve`] and `WSRT_DEBUG` accept loopback addresses and Unix sockets only, and answer
//! browsers only by an IP address or `localhost`, so that no other site can read the pages through
//! the browser of someone on the machine. [`serve_anyone`] listens on any address. A router
//! lets in whom its other layers let in.
//!
//! # Limits
//!
//! The server accepts 256 connections; further ones take the places of those that have been silent
//! for longest. A client has 5 seconds for its request, whose head is at most 8 KiB, and takes
//! at least 64 KiB a second of the answer. Two timelines, of 60 seconds at most, are recorded at a
//! time. They go through files in the folder for temporary files, which only this user may read. A
//! HEAD is answered without a recording, so that its answer has no length.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod answer;
mod environment;
mod making;
mod pages;
mod server;
#[cfg(feature = "tower")]
mod service;
mod waiting;

pub use self::environment::{__init, init};
pub use self::server::{Server, serve, serve_anyone};
#[cfg(feature = "tower")]
pub use self::service::{Body, ResponseFuture, Service};
