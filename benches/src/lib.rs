//! wsrt and its rivals on the same work in the same run.
//!
//! Each workload is written once over the small interface [`runtimes::Runtime`] and runs on wsrt,
//! tokio and smol; Go has its own versions in `benches/go`. Every single measurement happens in a
//! process of its own, so that each runtime has a clean address space and no threads but its own;
//! the `compare` program starts these processes in turn (wsrt, tokio, smol; tokio, smol, wsrt; …),
//! so that other work on the machine meets all of them alike.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin compare -- --workers 2 --repeats 15
//! ```
//!
//! With `--growth` it shows how cost grows with processors, tasks and connections.
//!
//! [`compare`], [`parallel`] (fork-join and loops), [`http`] (hyper), [`echo`] (echo servers by
//! connections and by load) and [`sync`] (channels and locks) are programs on one [`harness`];
//! [`stalls`] measures the effect on other tasks of polls that do not return, [`dumps`] the cost of
//! task dumps, [`background`] the effect of background tasks on a server; [`overload`] loads a
//! server of wsrt-hyper below its capacity and beyond, and [`instructions`] counts the instructions
//! of the scheduling paths and of the fast paths of channels and locks.
//!
//! With feature `scale`, `scale` runs the scheduler on up to 1,024 simulated processors.
//!
//! [`guide`] draws the pictures of the guide.
//!
//! [`child`] is one measurement of `compare`; [`workloads`] and [`runtimes`] are measured, and
//! [`load`] is the client of its echo server; [`measure`], [`metric`] and [`machine`] make figures
//! of it.

// Without wsrt the programs about wsrt alone are left out, and parts of the harness are unused.
#![cfg_attr(not(feature = "wsrt"), allow(dead_code, unused_imports))]

use std::error::Error;

#[cfg(feature = "wsrt")]
pub mod background;
pub mod child;
mod clockwork;
pub mod compare;
mod cores;
mod driver;
#[cfg(feature = "wsrt")]
pub mod dumps;
#[cfg(feature = "wsrt")]
pub mod echo;
mod go;
pub mod guide;
pub mod harness;
#[cfg(feature = "wsrt")]
pub mod http;
#[cfg(feature = "wsrt")]
pub mod instructions;
mod load;
mod machine;
mod measure;
pub mod metric;
#[cfg(feature = "wsrt")]
pub mod overload;
#[cfg(feature = "wsrt")]
pub mod parallel;
mod picture;
pub mod plan;
mod random;
pub mod runtimes;
#[cfg(feature = "scale")]
pub mod scale;
mod served;
#[cfg(feature = "wsrt")]
pub mod stalls;
#[cfg(feature = "wsrt")]
pub mod sync;
#[cfg(feature = "wsrt")]
mod tls;
mod usage;
pub mod workloads;

/// The reason why a benchmark failed: always printed, never handled.
pub type Failure = Box<dyn Error + Send + Sync>;
