//! Child processes that run and are awaited asynchronously.

use crate::io::AsyncWrite;
use crate::io::door::read_through_door;
use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

pub use wsrt::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

read_through_door!(ChildStdout, ChildStderr);

impl AsyncWrite for ChildStdin {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ChildStdin::poll_write(self.get_mut(), cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ChildStdin::poll_write_vectored(self.get_mut(), cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Closes the pipe, so that the child reads the end of its input.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // It is ready at once: there is nothing to wait for.
        pin!(self.get_mut().shutdown()).poll(cx)
    }
}
