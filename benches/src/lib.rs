//! wsrt and its rivals on the same work in the same run.
//!
//! Each workload is written once over the small interface [`runtimes::Runtime`] and runs on wsrt, tokio and smol; Go has
//! its own versions in `benches/go`. Every single measurement happens in a process of its own, so that each runtime has a
//! clean address space and no threads but its own; the `compare` program starts these processes in turn (wsrt, tokio, smol;
//! tokio, smol, wsrt; …), so that whatever else the machine does meets all of them alike.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin compare -- --workers 2 --repeats 15
//! ```
//!
//! With `--growth` it tells how cost grows with processors, tasks and connections.
//!
//! `stalls` is about polls that do not return, `parallel` about fork-join and loops, `http` about hyper, `instructions`
//! about what the scheduling paths execute. What follows is `compare`'s.
//!
//! From top to bottom: [`cli`] reads the command line; [`compare`] is the parent that starts the children and collects;
//! [`child`] is one measurement and the lines it is reported in; [`workloads`] and [`runtimes`] are what is measured;
//! [`load`] is the client of the echo server; [`measure`], [`metric`], [`report`] and [`machine`] make figures of it.

use std::error::Error;

pub mod child;
pub mod cli;
pub mod compare;
pub mod cores;
mod growth;
#[cfg(feature = "wsrt")]
pub mod http;
#[cfg(feature = "wsrt")]
pub mod instructions;
pub mod load;
pub mod machine;
pub mod measure;
pub mod metric;
#[cfg(feature = "wsrt")]
pub mod parallel;
mod picture;
pub mod plan;
#[cfg(feature = "wsrt")]
mod quiet;
pub mod report;
pub mod runtimes;
#[cfg(feature = "wsrt")]
pub mod stalls;
pub mod usage;
pub mod workloads;

/// What goes wrong in a benchmark: always told to the user, never handled.
pub type Failure = Box<dyn Error + Send + Sync>;
