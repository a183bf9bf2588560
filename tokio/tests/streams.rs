//! Files and the pipes of children, through the traits.
#![cfg(all(feature = "fs", feature = "io-util", feature = "process", feature = "rt"))]

use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::process::Stdio;
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::process::{ChildStdout, Command};
use tokio::runtime::Builder;

fn run<T>(future: impl Future<Output = T>) -> T {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn a_read_fills_what_is_free_and_nothing_else() {
    run(async {
        let mut file = File::open("/dev/zero").await.unwrap();
        let mut bytes = [MaybeUninit::uninit(); 8];
        let mut buf = ReadBuf::uninit(&mut bytes);
        buf.put_slice(b"abc");
        poll_fn(|cx| Pin::new(&mut file).poll_read(cx, &mut buf)).await.unwrap();
        assert_eq!(buf.filled(), b"abc\0\0\0\0\0");
        poll_fn(|cx| Pin::new(&mut file).poll_read(cx, &mut buf)).await.unwrap();
        assert_eq!(buf.remaining(), 0);
    });
}

#[test]
fn output_is_captured_whatever_was_set() {
    run(async {
        let output =
            shell("echo out; echo err >&2").stdout(Stdio::null()).stderr(Stdio::null()).output().await.unwrap();
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    });
}

/// Writes by the trait alone.
async fn send(mut stream: impl AsyncWrite + Unpin, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    std::mem::forget(stream);
}

#[test]
fn a_shutdown_ends_a_childs_input() {
    run(async {
        let mut child = shell("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        send(child.stdin.take().unwrap(), "hello").await;
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "hello");
        assert!(child.wait().await.unwrap().success());
    });
}

#[test]
fn a_pipe_goes_from_one_child_to_the_next() {
    run(async {
        let mut first = shell("echo hello").stdout(Stdio::piped()).spawn().unwrap();
        let fd: OwnedFd = first.stdout.take().unwrap().into_owned_fd().unwrap();
        let pipe = ChildStdout::from_std(std::process::ChildStdout::from(fd)).unwrap();
        let pipe: Stdio = pipe.try_into().unwrap();
        let output = shell("tr a-z A-Z").stdin(pipe).output().await.unwrap();
        assert_eq!(output.stdout, b"HELLO\n");
        assert!(first.wait().await.unwrap().success());
    });
}
