//! Other programs, started as child processes of a test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use super::patience::{self, Patience};

/// A running program. Dropping this value kills the program.
#[derive(Debug)]
pub struct Running {
    name: String,
    process: Child,
    lines: Receiver<String>,
}

impl Running {
    /// Starts the program that `command` describes. Its standard error is the test's.
    ///
    /// # Panics
    ///
    /// Panics if the program does not start.
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        let name = command.get_program().to_string_lossy().into_owned();
        let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut process = started.unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let (sender, lines) = channel();
        // The thread ends with the program. It continues to read when no test waits for a line, so
        // that the program does not block.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { name, process, lines }
    }

    /// Waits for a line of the program's output that begins with `start`, and returns the rest of
    /// the line.
    ///
    /// # Panics
    ///
    /// Panics if no such line is written within [`LIMIT`](super::LIMIT). The message contains the
    /// output that was written instead.
    #[must_use]
    pub fn line_after(&mut self, start: &str) -> String {
        let mut patience = Patience::default();
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(patience::PAUSE) {
                Ok(line) => match line.split_once(start) {
                    Some((_, rest)) => return rest.trim().to_owned(),
                    None => said.push(line),
                },
                Err(RecvTimeoutError::Timeout) => {
                    assert!(patience.allows_a_pause(), "{} does not say `{start}`, but {said:#?}", self.name);
                }
                Err(RecvTimeoutError::Disconnected) => panic!("{} ends without `{start}`: {said:#?}", self.name),
            }
        }
    }

    /// Returns the process ID of the program.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Waits until `is_ready` returns true.
    ///
    /// # Panics
    ///
    /// Panics if this takes longer than [`LIMIT`](super::LIMIT), or if the program ends before.
    pub fn wait_until(&mut self, mut is_ready: impl FnMut() -> bool) {
        let is_in_time = Patience::default().wait_until(|| {
            if let Some(status) = self.process.try_wait().expect("it is our child") {
                panic!("{} ended early, with {status}", self.name);
            }
            is_ready()
        });
        assert!(is_in_time, "{} does not get ready", self.name);
    }

    /// Sends the program the signal that Ctrl-C sends, and waits for the program to end.
    ///
    /// # Panics
    ///
    /// Panics if the program does not end within [`LIMIT`](super::LIMIT), or if its exit status is
    /// not 0.
    pub fn interrupt(mut self) {
        let id = self.process.id().to_string();
        let status = Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
        assert!(status.success(), "{} cannot be interrupted", self.name);
        let status = self.wait();
        assert!(status.success(), "{} ended with {status}", self.name);
    }

    fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        let is_in_time = Patience::default().wait_until(|| {
            ended = self.process.try_wait().expect("it is our child");
            ended.is_some()
        });
        assert!(is_in_time, "{} does not end", self.name);
        ended.expect("it has ended")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs a program to completion and returns its standard output. Its standard error is the test's.
///
/// # Panics
///
/// Panics if the program does not start, takes longer than [`LIMIT`](super::LIMIT), or fails.
#[must_use]
pub fn output_of(mut command: Command) -> String {
    let name = format!("{command:?}");
    let mut process =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut stdout = process.stdout.take().expect("it is piped");
    let reader = thread::spawn(move || {
        let mut output = Vec::new();
        stdout.read_to_end(&mut output).map(|_| output)
    });
    let mut running = Running { name: name.clone(), process, lines: channel().1 };
    let status = running.wait();
    let output = reader.join().expect("no panic").expect("a pipe can be read");
    let output = String::from_utf8_lossy(&output).into_owned();
    assert!(status.success(), "{name} ended with {status}:\n{output}");
    output
}
