//! Waiting until no other program computes: a loop whose second thread finds its core busy has no
//! second processor.
//!
//! Even work of the lowest priority is in the way. A core that runs it is not idle, and the kernel
//! leaves two threads of a pool on the core where one of them woke the other.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// The looks in a row that have to find the machine idle.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Counts the measurements that began in quiet.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    begun: u32,
    in_quiet: u32,
}

impl Quiet {
    /// Waits until no other program computes, for at most `patience`; without patience one look is
    /// enough. Does not wait where the system does not count its running threads.
    pub(super) fn wait(&mut self, patience: Duration) {
        let give_up = Instant::now() + patience;
        let mut missing = if patience.is_zero() { 1 } else { LOOKS };
        while missing > 0 {
            match running() {
                Some(0 | 1) => missing -= 1,
                Some(_) if Instant::now() < give_up => missing = LOOKS,
                _ => break,
            }
            if missing > 0 {
                thread::sleep(BETWEEN_LOOKS);
            }
        }
        self.begun += 1;
        self.in_quiet += u32::from(missing == 0);
    }

    /// Returns the count for the reader of the figures.
    pub(super) fn fact(&self) -> String {
        format!("{} of {} measurements began while no other program computed", self.in_quiet, self.begun)
    }
}

/// Returns how many threads run or are ready to, this one included.
fn running() -> Option<u32> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
}

fn parse(stat: &str) -> Option<u32> {
    stat.lines().find_map(|line| line.strip_prefix("procs_running "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_threads_are_read_from_their_line() {
        assert_eq!(parse("cpu 1 2 3\nprocs_running 7\nprocs_blocked 0\n"), Some(7));
        assert_eq!(parse("cpu 1 2 3\n"), None);
    }

    #[test]
    fn without_a_grace_period_it_begins_at_once() {
        let mut quiet = Quiet::default();
        quiet.wait(Duration::ZERO);
        assert!(quiet.fact().ends_with(" of 1 measurements began while no other program computed"), "{}", quiet.fact());
    }
}
