//! `Child`: a handle to a running child process.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::process::{ExitStatus, Output};
use std::task::{Context, Poll, ready};

use wsrt_reactor::net::unix::pipe::Receiver;

use crate::process::pipes::{ChildStderr, ChildStdin, ChildStdout};
use crate::process::reap::{self, RunningChild};

/// A handle to a child process, returned by [`Command::spawn`](super::Command::spawn).
///
/// Dropping the handle leaves the process running, or kills the process if
/// [`kill_on_drop`](super::Command::kill_on_drop) is set. The process is reaped when it ends in
/// both cases.
#[derive(Debug)]
pub struct Child {
    process: Process,
    /// The write end of the process's standard input, or `None` if standard input is not piped.
    pub stdin: Option<ChildStdin>,
    /// The read end of the process's standard output, or `None` if standard output is not piped.
    pub stdout: Option<ChildStdout>,
    /// The read end of the process's standard error, or `None` if standard error is not piped.
    pub stderr: Option<ChildStderr>,
}

impl Child {
    /// Takes over a newly started child inside its runtime. Kills the child if that is impossible.
    pub(super) fn new(
        mut child: std::process::Child,
        kill_on_drop: bool,
        netpoller: &wsrt_reactor::Handle,
    ) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // It is killed if one of its pipes cannot be registered below.
        let mut process = Process {
            running: Some(RunningChild::new(child, netpoller)?),
            status: ExitStatus::default(),
            kill_on_drop: true,
        };
        let (stdin, stdout, stderr) = (
            stdin.map(ChildStdin::new).transpose()?,
            stdout.map(ChildStdout::new).transpose()?,
            stderr.map(ChildStderr::new).transpose()?,
        );
        process.kill_on_drop = kill_on_drop;
        Ok(Self { process, stdin, stdout, stderr })
    }

    /// Returns the OS-assigned process ID, or `None` once a call has returned the exit status.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut child = wsrt::process::Command::new("true").spawn()?;
    /// println!("runs as {:?}", child.id());
    /// child.wait().await?;
    /// assert_eq!(child.id(), None, "it has ended");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.process.running.as_ref().map(|running| running.child.id())
    }

    /// Closes the process's piped standard input, if any, and waits until the process exits. Later
    /// calls return the same exit status.
    ///
    /// A process that fills the pipe of its standard output or error waits until the pipe is read,
    /// and this call then never returns. Use [`wait_with_output`](Self::wait_with_output) to read
    /// both.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example when another part of the program has already reaped the
    /// process. Returns an error when the runtime that started the process was shut down and the
    /// caller is not inside another runtime.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: the next call returns the status. Standard input stays closed.
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

    /// Returns the process's exit status without waiting, or `None` while the process runs.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the exit status cannot be read.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut child = wsrt::process::Command::new("sleep").arg("600").kill_on_drop(true).spawn()?;
    /// assert!(child.try_wait()?.is_none(), "it still runs");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.process.try_wait()
    }

    /// Sends SIGKILL to the process, without waiting until the process exits. Does nothing if a
    /// call has already returned the exit status.
    ///
    /// # Errors
    ///
    /// Returns the OS error when the signal cannot be sent.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut child = wsrt::process::Command::new("sleep").arg("600").spawn()?;
    /// child.start_kill()?;
    /// assert!(!child.wait().await?.success());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn start_kill(&mut self) -> io::Result<()> {
        self.process.running.as_mut().map_or(Ok(()), RunningChild::kill)
    }

    /// Sends SIGKILL to the process and waits until the process exits. Does nothing if a call has
    /// already returned the exit status.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`start_kill`](Self::start_kill) and [`wait`](Self::wait).
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: the first poll kills the process. If the future is dropped
    /// afterwards, the process is reaped by the next `wait` or when the child is dropped.
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

    /// Closes the process's piped standard input, if any, waits until the process exits, and
    /// returns its exit status and output. The output of a stream that is not piped, or that was
    /// taken out of the `Child`, is empty.
    ///
    /// The entire output is kept in memory, without a limit. The call returns only when every write
    /// end of the pipes is closed, and a process that the child has started may hold a write end
    /// for longer than the child lives.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error when the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: if the future is dropped before it completes, the child is dropped and its
    /// output so far is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// use std::process::Stdio;
    ///
    /// let child = wsrt::process::Command::new("echo").arg("hello").stdout(Stdio::piped()).spawn()?;
    /// let output = child.wait_with_output().await?;
    /// assert_eq!(output.stdout, b"hello\n");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn wait_with_output(mut self) -> io::Result<Output> {
        let stdout = self.stdout.take().map(|pipe| pipe.0);
        let stderr = self.stderr.take().map(|pipe| pipe.0);
        let (status, (stdout, stderr)) = together(self.wait(), together(read_all(stdout), read_all(stderr))).await;
        Ok(Output { status: status?, stdout: stdout?, stderr: stderr? })
    }
}

async fn read_all(pipe: Option<Receiver>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

/// The state of a child's process.
#[derive(Debug)]
struct Process {
    /// The running process, or `None` once a call has returned the exit status.
    running: Option<RunningChild>,
    /// The exit status, valid once `running` is `None`.
    status: ExitStatus,
    kill_on_drop: bool,
}

impl Process {
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        if let Some(running) = &mut self.running {
            self.status = ready!(running.poll_wait(cx))?;
            self.running = None;
        }
        Poll::Ready(Ok(self.status))
    }

    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if let Some(running) = &mut self.running {
            let Some(status) = running.child.try_wait()? else { return Ok(None) };
            (self.running, self.status) = (None, status);
        }
        Ok(Some(self.status))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            if self.kill_on_drop {
                // The only error is that it has ended.
                let _ = running.kill();
            }
            reap::adopt(running);
        }
    }
}

/// Waits for both futures and returns both outputs.
pub(super) async fn together<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut of_a, mut of_b) = (None, None);
    poll_fn(|cx| {
        poll_unless(&mut of_a, a.as_mut(), cx);
        poll_unless(&mut of_b, b.as_mut(), cx);
        if of_a.is_none() || of_b.is_none() {
            return Poll::Pending;
        }
        Poll::Ready(of_a.take().zip(of_b.take()).expect("both are there"))
    })
    .await
}

/// Polls `future` unless it has already returned its output.
fn poll_unless<F: Future>(output: &mut Option<F::Output>, future: Pin<&mut F>, cx: &mut Context<'_>) {
    if output.is_some() {
        return;
    }
    if let Poll::Ready(ready) = future.poll(cx) {
        *output = Some(ready);
    }
}
