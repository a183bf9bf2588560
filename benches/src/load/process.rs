//! The server's side of the load process: starts it, gives it the word, takes its outcome.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{GO, LoadPlan, Outcome, READY};
use crate::{Failure, cli};

/// A load process that has connected and warmed up.
#[derive(Debug)]
pub struct LoadProcess {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// A load process that has done its requests and still holds its connections.
#[derive(Debug)]
pub struct Finishing {
    child: Child,
    orders: ChildStdin,
}

impl LoadProcess {
    /// Starts `program` as the load process and waits until it is ready.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be started or ends early; what it complained about is on standard error.
    pub fn start(program: &Path, plan: &LoadPlan) -> Result<Self, Failure> {
        let mut child = Command::new(program)
            .args(cli::load_arguments(plan))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let orders = child.stdin.take().expect("the child's input is a pipe");
        let answers = child.stdout.take().expect("the child's output is a pipe");
        let mut process = Self { child, orders, answers: BufReader::new(answers) };
        let line = process.next_line()?;
        if line != READY {
            return Err(format!("expected {READY:?} from the load process, got {line:?}").into());
        }
        Ok(process)
    }

    /// Lets the measured requests begin, and waits until the last one is answered.
    ///
    /// # Errors
    ///
    /// Returns an error if the load process ends early; what it complained about is on standard error.
    pub fn go(mut self) -> Result<(Finishing, Outcome), Failure> {
        writeln!(self.orders, "{GO}")?;
        let line = self.next_line()?;
        let outcome = Outcome::parse(&line).ok_or_else(|| format!("no outcome of the load process: {line:?}"))?;
        let finishing = Finishing { child: self.child, orders: self.orders };
        Ok((finishing, outcome))
    }

    fn next_line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("the load process ended early ({})", self.child.wait()?).into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}

impl Finishing {
    /// Has the connections closed and waits until the process is gone.
    ///
    /// # Errors
    ///
    /// Returns an error if it did not end well.
    pub fn finish(self) -> Result<(), Failure> {
        let Self { mut child, orders } = self;
        drop(orders);
        let status = child.wait()?;
        if !status.success() {
            return Err(format!("the load process failed ({status})").into());
        }
        Ok(())
    }
}
