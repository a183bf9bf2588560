//! A process that drives a server, and its parent, which takes the server's figures meanwhile.
//!
//! ```text
//!   parent                              the driver
//!   Driver::start  ── starts ─────────▶ connects, warms up
//!                  ◀── "ready" ────────
//!   Driver::go     ── "go" ───────────▶ the measured requests
//!                  ◀── "done …" ─────── their outcome
//!   Driver::finish ── end of input ───▶ closes the connections, ends
//! ```

use std::fmt::Debug;
use std::io::{self, Write};
use std::process::Command;

use crate::Failure;
use crate::harness::Dialogue;

const READY: &str = "ready";
const GO: &str = "go";

/// The outcome of the measured requests, which goes to the parent as a line.
pub(crate) trait Outcome: Debug + Sized {
    /// Writes the line that [`parse`](Self::parse) reads.
    fn line(&self) -> String;
    fn parse(line: &str) -> Option<Self>;
}

/// Does the driver's work once its connections are open and warmed up: `measure` runs when the
/// parent says so. They stay open until the parent has taken its own figures.
///
/// # Errors
///
/// Returns `measure`'s error, or one that says that the process that started this one is gone.
pub(crate) fn serve<C, O: Outcome>(
    mut connections: C,
    measure: impl FnOnce(&mut C) -> Result<O, Failure>,
) -> Result<(), Failure> {
    say(READY)?;
    let mut order = String::new();
    io::stdin().read_line(&mut order)?;
    if order.trim_end() != GO {
        return Err(format!("expected {GO:?} on the standard input, got {order:?}").into());
    }
    say(&measure(&mut connections)?.line())?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

fn say(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

/// The parent's side of a driver that has connected and warmed up. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Driver(Dialogue);

impl Driver {
    /// Starts `command`, which messages call `name`, and waits until it is ready.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Result<Self, Failure> {
        let mut process = Dialogue::start(name, command)?;
        process.answer(|line| (line == READY).then_some(()))?;
        Ok(Self(process))
    }

    /// Lets the measured requests begin, and waits until the last one is answered.
    pub(crate) fn go<O: Outcome>(&mut self) -> Result<O, Failure> {
        self.0.order(GO)?;
        self.0.answer(O::parse)
    }

    /// Has the connections closed and waits until the process is gone.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.0.finish()
    }
}
