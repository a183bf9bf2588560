//! Files and the pipes of children, through the traits.
#![cfg(all(feature = "fs", feature = "io-util", feature = "process", feature = "rt"))]

use std::future::poll_fn;
use std::io;
use std::marker::PhantomPinned;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf, split};
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

/// A stream that must not be moved once it is polled.
struct Fixed(PhantomPinned);

impl AsyncRead for Fixed {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        buf.put_slice(b"x");
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Fixed {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// The methods of the extension traits ask for `Unpin`: this compiles, as with tokio.
#[test]
fn halves_of_a_stream_that_stays_put_may_move() {
    run(async {
        let (mut reader, mut writer) = split(Fixed(PhantomPinned));
        assert_eq!(reader.read_u8().await.unwrap(), b'x');
        writer.write_all(b"hello").await.unwrap();
    });
}
