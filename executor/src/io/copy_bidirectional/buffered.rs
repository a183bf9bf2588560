//! Copies through buffers, between any two streams.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite};

use crate::io::transfer::Transfer;

pub(super) async fn copy<A, B>(a: &mut A, b: &mut B, (a_to_b, b_to_a): (usize, usize)) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let (mut a_to_b, mut b_to_a) = (Direction::new(a_to_b), Direction::new(b_to_a));
    poll_fn(|cx| {
        let there = a_to_b.poll(cx, Pin::new(&mut *a), Pin::new(&mut *b))?;
        let back = b_to_a.poll(cx, Pin::new(&mut *b), Pin::new(&mut *a))?;
        match (there, back) {
            (Poll::Ready(there), Poll::Ready(back)) => Poll::Ready(Ok((there, back))),
            _ => Poll::Pending,
        }
    })
    .await
}

/// One of the two directions: a transfer, after which the writer is shut down.
#[derive(Debug)]
struct Direction {
    transfer: Transfer,
    is_shut_down: bool,
}

impl Direction {
    fn new(size: usize) -> Self {
        Self { transfer: Transfer::new(size), is_shut_down: false }
    }

    /// Returns the number of copied bytes once the direction is done, and on every later poll.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        reader: Pin<&mut (impl AsyncRead + ?Sized)>,
        mut writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<u64>> {
        let total = ready!(self.transfer.poll(cx, reader, writer.as_mut()))?;
        if !self.is_shut_down {
            ready!(writer.poll_shutdown(cx))?;
            self.is_shut_down = true;
        }
        Poll::Ready(Ok(total))
    }
}
