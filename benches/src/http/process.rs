//! The parent's view of a server: started, asked, ended.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::cli;
use super::server::{LISTENING, Request, USAGE, Used};
use crate::Failure;
use crate::usage::Usage;

/// A server that listens. Killed when dropped.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl ServerProcess {
    /// Starts `program` as a server, and waits until it listens.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be started or ends early; what it complained about is on standard error.
    pub(super) fn start(program: &Path, request: &Request) -> Result<Self, Failure> {
        let mut child = Command::new(program)
            .args(cli::serve_arguments(request))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let questions = child.stdin.take().expect("the child's input is a pipe");
        let answers = BufReader::new(child.stdout.take().expect("the child's output is a pipe"));
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut server = Self { child, questions, answers, address: nowhere };
        let line = server.next_line()?;
        let address = line.strip_prefix(LISTENING).and_then(|address| address.parse().ok());
        server.address = address.ok_or_else(|| format!("no address of the server: {line:?}"))?;
        Ok(server)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Asks what the server's process has used so far.
    ///
    /// # Errors
    ///
    /// Returns an error if the server is gone.
    pub(super) fn usage(&mut self) -> Result<Usage, Failure> {
        writeln!(self.questions, "{USAGE}")?;
        let line = self.next_line()?;
        let Used(usage) = Used::parse(&line).ok_or_else(|| format!("no usage of the server: {line:?}"))?;
        Ok(usage)
    }

    fn next_line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("the server ended early ({})", self.child.wait()?).into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
