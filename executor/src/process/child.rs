//! A child as its parent holds it.

use std::future::poll_fn;
use std::io;
use std::process::{ExitStatus, Output};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt};

use super::orphans;
use super::pipes::{ChildStderr, ChildStdin, ChildStdout};
use super::running::Running;
use super::together::together;

/// Stands for a program that was started by [`Command::spawn`](super::Command::spawn).
///
/// Dropping it leaves the program running, or kills it if
/// [`kill_on_drop`](super::Command::kill_on_drop) was set. It is reaped when it ends, either way.
#[derive(Debug)]
pub struct Child {
    process: Process,
    /// What the program reads as its standard input, if that is piped.
    pub stdin: Option<ChildStdin>,
    /// What the program writes to its standard output, if that is piped.
    pub stdout: Option<ChildStdout>,
    /// What the program writes to its standard error, if that is piped.
    pub stderr: Option<ChildStderr>,
}

impl Child {
    /// Takes charge of a child that was just started, inside its runtime. If that is impossible, it
    /// is killed.
    pub(super) fn new(
        mut child: std::process::Child,
        kill_on_drop: bool,
        netpoller: &wsrt_reactor::Handle,
    ) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // Until the pipes are there too, it is killed if one cannot be had.
        let mut process = Process { state: State::Running(Running::new(child, netpoller)?), kill_on_drop: true };
        let (stdin, stdout, stderr) = (
            stdin.map(ChildStdin::new).transpose()?,
            stdout.map(ChildStdout::new).transpose()?,
            stderr.map(ChildStderr::new).transpose()?,
        );
        process.kill_on_drop = kill_on_drop;
        Ok(Self { process, stdin, stdout, stderr })
    }

    /// Returns the program's process number, as long as its end was not learnt of.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        match &self.process.state {
            State::Running(running) => Some(running.id()),
            State::Ended(_) => None,
        }
    }

    /// Waits for the program to end, after closing its standard input if that is piped. Any further
    /// call returns the same status.
    ///
    /// A program whose standard output or error is piped may wait for us to read these: then this
    /// waits for ever. [`wait_with_output`](Self::wait_with_output) reads them.
    ///
    /// # Errors
    ///
    /// The system's, as when somebody else has waited for all children; or that the runtime was
    /// shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call returns the status. The standard input stays closed.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut child = wsrt::process::Command::new("false").spawn()?;
    /// assert_eq!(child.wait().await?.code(), Some(1));
    /// assert_eq!(child.id(), None);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        drop(self.stdin.take());
        poll_fn(|cx| self.process.poll_wait(cx)).await
    }

    /// Returns the program's status if it has ended, without waiting.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.process.try_wait()
    }

    /// Kills the program (SIGKILL), without waiting for its end. One that has ended is left as it
    /// is.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn start_kill(&mut self) -> io::Result<()> {
        match &mut self.process.state {
            State::Running(running) => running.kill(),
            State::Ended(_) => Ok(()),
        }
    }

    /// Kills the program (SIGKILL) and waits for its end. One that has ended is left as it is.
    ///
    /// # Errors
    ///
    /// Those of [`start_kill`](Self::start_kill) and [`wait`](Self::wait).
    ///
    /// # Cancel safety
    ///
    /// It is killed by the first poll; dropped after that, it is reaped by the next `wait` or when
    /// the child is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::os::unix::process::ExitStatusExt;
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut child = wsrt::process::Command::new("sleep").arg("1000").spawn()?;
    /// child.kill().await?;
    /// assert_eq!(child.wait().await?.signal(), Some(9));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn kill(&mut self) -> io::Result<()> {
        self.start_kill()?;
        self.wait().await.map(drop)
    }

    /// Waits for the program to end, after closing its standard input if that is piped, and returns
    /// what it has written, as far as that is piped and was not taken out of the child before.
    ///
    /// All of it is kept in memory, however much it is. It waits until nobody can write to the
    /// pipes any more: a process that the program has left behind may be one who can.
    ///
    /// # Errors
    ///
    /// The system's; or that the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropped while it waits, it drops the child, and what was read is lost.
    pub async fn wait_with_output(mut self) -> io::Result<Output> {
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let (status, (stdout, stderr)) = together(self.wait(), together(read_all(stdout), read_all(stderr))).await;
        Ok(Output { status: status?, stdout: stdout?, stderr: stderr? })
    }
}

async fn read_all(pipe: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

/// The child's process, whatever has become of it.
#[derive(Debug)]
struct Process {
    state: State,
    kill_on_drop: bool,
}

#[derive(Debug)]
enum State {
    Running(Running),
    Ended(ExitStatus),
}

impl Process {
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        let status = match &mut self.state {
            State::Running(running) => ready!(running.poll_wait(cx))?,
            State::Ended(status) => *status,
        };
        self.state = State::Ended(status);
        Poll::Ready(Ok(status))
    }

    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        match &mut self.state {
            State::Running(running) => {
                let status = running.try_wait()?;
                if let Some(status) = status {
                    self.state = State::Ended(status);
                }
                Ok(status)
            }
            State::Ended(status) => Ok(Some(*status)),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let ended = State::Ended(ExitStatus::default());
        if let State::Running(mut running) = std::mem::replace(&mut self.state, ended) {
            if self.kill_on_drop {
                // It can only have ended before.
                let _ = running.kill();
            }
            orphans::adopt(running);
        }
    }
}
