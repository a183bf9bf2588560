//! HTTP: hyper's hello on wsrt and on tokio, the same hyper and the same service, under wrk and h2load.
//!
//! ```text
//!   parent, on the clients' cores            server process (`http --serve …`), on its own
//!   ServerProcess::start  ── starts ───────▶ listens
//!                         ◀─ "listening A" ─
//!   wrk or h2load, unmeasured
//!   usage                 ── "usage" ──────▶
//!                         ◀─ "used NS N" ─── processor time and sleeps so far
//!   wrk or h2load, measured ══ requests ═══▶
//!   usage                 ── "usage" ──────▶
//!   finish                ── end of input ─▶ ends
//! ```
//!
//! From top to bottom: [`cli`] reads the command line; [`compare`] is the parent; [`process`] is its view of a server and
//! [`server`] the server itself, with [`hello`] as its service and [`on_runtimes`] as what differs; [`wrk`] and [`h2load`] start
//! these two and read what they print.

use crate::Failure;

mod cli;
mod compare;
mod generator;
mod h2load;
mod hello;
mod on_runtimes;
mod process;
mod server;
mod wrk;

/// Is the program: the parent that compares, or one of the servers that it starts.
///
/// # Errors
///
/// Returns an error that names the argument that is wrong, or what went wrong with a measurement.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), Failure> {
    match cli::parse(arguments)? {
        cli::Command::Help => {
            print!("{}", cli::help());
            Ok(())
        }
        cli::Command::Compare(options) => compare::run(&options),
        cli::Command::Serve(request) => server::serve(&request),
    }
}

/// Which HTTP is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Http1,
    Http2,
}

impl Version {
    const ALL: [Self; 2] = [Self::Http1, Self::Http2];

    fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Http2 => "http2",
        }
    }

    fn find(name: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|version| version.name() == name);
        found.ok_or_else(|| format!("no HTTP version {name:?}; there are http1 and http2").into())
    }
}
