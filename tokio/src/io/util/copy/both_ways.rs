//! Copying between two streams in both directions.

use super::buffer::Buffer;
use crate::io::util::BUFFER_SIZE;
use crate::io::{AsyncRead, AsyncWrite};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Copies bytes between two streams in both directions until both streams have ended.
///
/// When one stream ends, the other stream's writing side is shut down, and the other direction
/// continues. Returns the number of bytes copied from `a` to `b`, and the number copied from `b` to
/// `a`.
///
/// # Errors
///
/// Returns the first error of either stream. Both directions stop at that error.
pub async fn copy_bidirectional<A, B>(a: &mut A, b: &mut B) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    copy_bidirectional_with_sizes(a, b, BUFFER_SIZE, BUFFER_SIZE).await
}

/// Copies bytes between two streams in both directions, with buffers of the given sizes in bytes.
///
/// Apart from the buffers' sizes, the function works like [`copy_bidirectional`].
///
/// # Panics
///
/// Panics if one of the sizes is 0.
///
/// # Errors
///
/// Returns the first error of either stream. Both directions stop at that error.
pub async fn copy_bidirectional_with_sizes<A, B>(
    a: &mut A,
    b: &mut B,
    a_to_b_buf_size: usize,
    b_to_a_buf_size: usize,
) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    assert!(a_to_b_buf_size > 0, "`a_to_b_buf_size` must be greater than 0: a buffer without room copies nothing");
    assert!(b_to_a_buf_size > 0, "`b_to_a_buf_size` must be greater than 0: a buffer without room copies nothing");
    let mut there = Direction::Copying(Buffer::new(a_to_b_buf_size));
    let mut back = Direction::Copying(Buffer::new(b_to_a_buf_size));
    poll_fn(|cx| {
        // Both are polled before either is waited for.
        let there = there.poll(cx, a, b)?;
        let back = back.poll(cx, b, a)?;
        Poll::Ready(Ok((ready!(there), ready!(back))))
    })
    .await
}

/// The state of one direction.
#[derive(Debug)]
enum Direction {
    Copying(Buffer),
    /// The given number of bytes has been copied, and the writer is being shut down.
    Ending(u64),
    Ended(u64),
}

impl Direction {
    fn poll<R, W>(&mut self, cx: &mut Context<'_>, reader: &mut R, writer: &mut W) -> Poll<io::Result<u64>>
    where
        R: AsyncRead + Unpin + ?Sized,
        W: AsyncWrite + Unpin + ?Sized,
    {
        if let Direction::Copying(buffer) = self {
            let copied = ready!(buffer.poll_copy(cx, Pin::new(reader), Pin::new(&mut *writer)))?;
            *self = Direction::Ending(copied);
        }
        if let Direction::Ending(copied) = *self {
            ready!(Pin::new(writer).poll_shutdown(cx))?;
            *self = Direction::Ended(copied);
        }
        let Direction::Ended(copied) = self else { unreachable!("both steps before it are done") };
        Poll::Ready(Ok(*copied))
    }
}
