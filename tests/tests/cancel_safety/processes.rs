//! Processes, their pipes, and signals.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use wsrt::process::{Child, ChildStdin, ChildStdout, Command};
use wsrt::signal::unix::{Signal, SignalKind, signal};
use wsrt::signal::{ctrl_c, shutdown};
use wsrt::test::cancel_at_each_await;

use crate::{later, run};

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    command
}

async fn start(script: &str) -> Child {
    shell(script).spawn().expect("there is a shell")
}

/// Of `Child::wait` and `Child::kill`.
#[test]
fn a_child_can_be_awaited_again() {
    run(async || {
        let check = async |mut child: Child, _| {
            assert!(child.stdin.is_none(), "it stays closed");
            assert_eq!(child.wait().await.expect("it ends").code(), Some(7));
        };
        let operation = async |child: &mut Child| child.wait().await;
        cancel_at_each_await(async || start("read line; exit 7").await, operation, check).await;
        let check = async |mut child: Child, _| {
            assert_eq!(child.wait().await.expect("it ends").signal(), Some(9));
        };
        let operation = async |child: &mut Child| child.kill().await;
        cancel_at_each_await(async || start("exec sleep 60").await, operation, check).await;
    });
}

/// Of `Child::wait_with_output`, `Command::status` and `Command::output`, which are not cancel
/// safe: the child is dropped, and so killed here.
#[test]
fn a_dropped_child_ends_by_its_command() {
    run(async || {
        let operation = async |child: &mut Option<Child>| child.take().expect("once").wait_with_output().await;
        let make = async || Some(start("sleep 0.01; echo text").await);
        let check = async |child: Option<Child>, output: Option<std::io::Result<std::process::Output>>| {
            assert!(child.is_none());
            assert!(output.is_none_or(|output| output.expect("it ends").stdout == b"text\n"));
        };
        cancel_at_each_await(make, operation, check).await;
        let make = async || shell("sleep 0.01; echo text");
        let check = async |mut command: Command, _| {
            assert_eq!(command.output().await.expect("it ends").stdout, b"text\n", "the command can be used again");
        };
        cancel_at_each_await(make, async |command: &mut Command| drop(command.status().await), check).await;
        cancel_at_each_await(make, async |command: &mut Command| drop(command.output().await), check).await;
    });
}

/// A process that counts the bytes of its standard input, after a while.
struct Counted {
    process: Child,
    input: ChildStdin,
    accepted: usize,
}

impl Counted {
    async fn new() -> Self {
        let mut process = start("sleep 0.01; wc -c").await;
        let input = process.stdin.take().expect("it is piped");
        Self { process, input, accepted: 0 }
    }

    async fn count(self) -> usize {
        drop(self.input);
        let output = self.process.wait_with_output().await.expect("it ends");
        String::from_utf8(output.stdout).ok().and_then(|text| text.trim().parse().ok()).expect("a number")
    }
}

/// More than a pipe takes at once.
const MUCH: &[u8] = &[0; 100_000];

/// Of `ChildStdin` and `ChildStdin::write`, and of `ChildStdin::write_all`, which may have written
/// any part.
#[test]
fn a_process_gets_the_bytes_that_were_accepted() {
    run(async || {
        let operation = async |state: &mut Counted| {
            for _ in 0..3 {
                state.accepted += state.input.write(MUCH).await.expect("it reads");
            }
        };
        let check = async |state: Counted, _| {
            let accepted = state.accepted;
            assert_eq!(state.count().await, accepted);
        };
        cancel_at_each_await(Counted::new, operation, check).await;
        let operation = async |state: &mut Counted| state.input.write_all(MUCH).await;
        let check = async |state: Counted, output: Option<_>| {
            let count = state.count().await;
            assert!(if output.is_some() { count == MUCH.len() } else { count <= MUCH.len() });
        };
        cancel_at_each_await(Counted::new, operation, check).await;
    });
}

/// The output of a process, which comes in two pieces, with the bytes that were read.
async fn speaks() -> (ChildStdout, Vec<u8>, Child) {
    let mut process = start("printf 'one '; sleep 0.01; printf two").await;
    (process.stdout.take().expect("it is piped"), Vec::new(), process)
}

/// Of the readers of `process/pipes` and of `process/pipes::read`, `process/pipes::read_to_end`,
/// `process/pipes::read_exact` and `process/pipes::read_to_string`. The last two lose the bytes
/// that they have read.
#[test]
fn no_output_of_a_process_is_lost() {
    type State = (ChildStdout, Vec<u8>, Child);
    run(async || {
        let read = async |(output, bytes, _): &mut State| {
            let mut buffer = [0; 3];
            while let Ok(count @ 1..) = output.read(&mut buffer).await {
                bytes.extend(&buffer[..count]);
            }
        };
        let read_to_end = async |(output, bytes, _): &mut State| {
            output.read_to_end(bytes).await.expect("it is open");
        };
        let check = async |mut state: State, _| {
            read_to_end(&mut state).await;
            assert_eq!(state.1, b"one two");
        };
        cancel_at_each_await(speaks, read, check).await;
        cancel_at_each_await(speaks, read_to_end, check).await;
        let check = async |mut state: State, _| {
            read_to_end(&mut state).await;
            assert!(b"one two".ends_with(&state.1));
        };
        let operation = async |(output, ..): &mut State| drop(output.read_exact(&mut [0; 6]).await);
        cancel_at_each_await(speaks, operation, check).await;
        let operation = async |(output, ..): &mut State| drop(output.read_to_string(&mut String::new()).await);
        cancel_at_each_await(speaks, operation, check).await;
    });
}

fn raise(kind: SignalKind) {
    // SAFETY: it takes a number, and a handler is installed.
    assert_eq!(unsafe { libc::raise(kind.as_raw_value()) }, 0);
}

/// Of `Signal::recv`.
#[test]
fn a_signal_that_was_not_returned_is_kept() {
    run(async || {
        let kind = SignalKind::user_defined2();
        let make = async || {
            let listener = signal(kind).expect("it can be listened for");
            wsrt::spawn(async move {
                later().await;
                raise(kind);
            });
            listener
        };
        let operation = async |listener: &mut Signal| listener.recv().await;
        let check = async |mut listener: Signal, output: Option<_>| {
            if output.is_none() {
                assert_eq!(listener.recv().await, Some(()));
            }
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `signal/ctrl_c::ctrl_c` and `signal/shutdown::shutdown`: one future is kept, and polled by
/// reference.
#[test]
fn a_future_that_is_kept_hears_of_the_signal() {
    async fn hears<F: Future<Output = std::io::Result<()>> + Unpin>(kind: SignalKind, listen: impl Fn() -> F) {
        let make = async || {
            let waiting = listen();
            wsrt::spawn(async move {
                later().await;
                raise(kind);
            });
            waiting
        };
        let check = async |waiting: F, output: Option<std::io::Result<()>>| match output {
            Some(output) => output.expect("it can be listened for"),
            None => waiting.await.expect("it can be listened for"),
        };
        cancel_at_each_await(make, async |waiting: &mut F| waiting.await, check).await;
    }
    run(async || {
        hears(SignalKind::interrupt(), ctrl_c).await;
        hears(SignalKind::terminate(), shutdown).await;
    });
}
