//! Copying from a reader's own buffer to a writer.

use crate::io::util::interrupted::uninterrupted;
use crate::io::{AsyncBufRead, AsyncWrite};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use wsrt_sync::budget;

/// Copies all bytes from `reader` to `writer`, and then flushes `writer`.
///
/// The bytes are written straight from the reader's buffer. Returns the number of bytes copied.
///
/// # Errors
///
/// Returns the error of the reader or of the writer.
pub async fn copy_buf<'a, R, W>(reader: &'a mut R, writer: &'a mut W) -> io::Result<u64>
where
    R: AsyncBufRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut copied = 0;
    let mut is_unflushed = false;
    poll_fn(|cx| {
        loop {
            let mut piece = |cx: &mut Context<'_>| poll_piece(cx, reader, writer, &mut is_unflushed);
            // A unit a piece: reader and writer may both be memory, and never pending.
            let n = ready!(budget::poll_spending(cx, |cx| uninterrupted(|| piece(cx))))?;
            if n == 0 {
                return Poll::Ready(Ok(copied));
            }
            copied += n as u64;
        }
    })
    .await
}

/// Copies one piece of the reader's buffer. Returns 0 once the reader has ended and the writer is
/// flushed.
fn poll_piece<R, W>(
    cx: &mut Context<'_>,
    reader: &mut R,
    writer: &mut W,
    is_unflushed: &mut bool,
) -> Poll<io::Result<usize>>
where
    R: AsyncBufRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    let mut reader = Pin::new(reader);
    let mut writer = Pin::new(writer);
    let Poll::Ready(found) = reader.as_mut().poll_fill_buf(cx) else {
        // The reader may wait for an answer to bytes that the writer still holds.
        if *is_unflushed {
            ready!(writer.poll_flush(cx))?;
            *is_unflushed = false;
        }
        return Poll::Pending;
    };
    let found = found?;
    if found.is_empty() {
        ready!(writer.poll_flush(cx))?;
        return Poll::Ready(Ok(0));
    }
    let n = ready!(writer.as_mut().poll_write(cx, found))?;
    if n == 0 {
        return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
    }
    *is_unflushed = true;
    reader.consume(n);
    Poll::Ready(Ok(n))
}
