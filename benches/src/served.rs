//! A server in a process of its own that tells its address, and its use of the machine on demand.
//!
//! ```text
//!   parent                               server process
//!   ServerProcess::start ── starts ─────▶ listens
//!                        ◀─ "listening A"
//!   usage                ── "usage" ────▶
//!                        ◀─ "used NS N" ─ processor time and sleeps so far
//!   drop                 ── kills ──────▶
//! ```

use std::io::{self, BufRead, Write};
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use crate::Failure;
use crate::harness::Dialogue;
use crate::usage::Usage;

/// Precedes the address.
const LISTENING: &str = "listening ";
/// Asks for the figures.
const USAGE: &str = "usage";
const USED: &str = "used";

/// Tells the address and answers the parent's questions until the standard input ends, on the
/// calling thread.
pub(crate) fn answer_questions(address: SocketAddr) -> Result<(), Failure> {
    println!("{LISTENING}{address}");
    for line in io::stdin().lock().lines() {
        match &*line? {
            USAGE => {
                println!("{}", usage_line(Usage::now()?));
                io::stdout().flush()?;
            }
            other => return Err(format!("expected {USAGE:?} on the standard input, got {other:?}").into()),
        }
    }
    Ok(())
}

/// Writes the line that [`parse_usage`] reads.
fn usage_line(usage: Usage) -> String {
    format!("{USED} {} {}", usage.cpu.as_nanos(), usage.sleeps)
}

fn parse_usage(line: &str) -> Option<Usage> {
    let mut words = line.strip_prefix(USED)?.split_whitespace();
    let cpu = Duration::from_nanos(words.next()?.parse().ok()?);
    let sleeps = words.next()?.parse().ok()?;
    words.next().is_none().then_some(Usage { cpu, sleeps })
}

/// The parent's side of a server that listens. Killed when dropped.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    dialogue: Dialogue,
    pub(crate) address: SocketAddr,
}

impl ServerProcess {
    /// Starts `command`, which is a server, and waits until it listens.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        let mut dialogue = Dialogue::start("the server", command)?;
        let address = dialogue.answer(|line| line.strip_prefix(LISTENING)?.parse().ok())?;
        Ok(Self { dialogue, address })
    }

    /// Asks for the server process' use so far.
    pub(crate) fn usage(&mut self) -> Result<Usage, Failure> {
        self.dialogue.order(USAGE)?;
        self.dialogue.answer(parse_usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_survives_its_line() {
        let usage = Usage { cpu: Duration::from_nanos(1_234_567_891), sleeps: 42 };
        assert_eq!(parse_usage(&usage_line(usage)), Some(usage));
        for line in ["", "used", "used 1", "used 1 2 3", "listening 127.0.0.1:1"] {
            assert_eq!(parse_usage(line), None, "{line:?}");
        }
    }
}
