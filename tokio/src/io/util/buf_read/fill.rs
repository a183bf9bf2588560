//! Access to a reader's own buffer.

use crate::io::AsyncBufRead;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::slice;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by [`fill_buf`](super::AsyncBufReadExt::fill_buf).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct FillBuf<'a, R: ?Sized> {
        // `None` once it was ready.
        reader: Option<&'a mut R>,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized> FillBuf<'a, R> {
    pub(super) fn new(reader: &'a mut R) -> Self {
        Self { reader: Some(reader), pinned: PhantomPinned }
    }
}

impl<'a, R: AsyncBufRead + Unpin + ?Sized> Future for FillBuf<'a, R> {
    type Output = io::Result<&'a [u8]>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&'a [u8]>> {
        let me = self.project();
        let reader = me.reader.take().expect("polled after it was ready");
        let answer = match Pin::new(&mut *reader).poll_fill_buf(cx) {
            Poll::Ready(answer) => answer.map(|buf| (buf.as_ptr(), buf.len())),
            Poll::Pending => {
                *me.reader = Some(reader);
                return Poll::Pending;
            }
        };
        // SAFETY: the reader lent this slice for as long as it is borrowed mutably, which is for
        // `'a`: the borrow was taken out of this future, and ends here. (The compiler would let the
        // slice be returned if the other branch did not use the borrow again.)
        Poll::Ready(answer.map(|(start, len)| unsafe { slice::from_raw_parts(start, len) }))
    }
}

/// Polls for buffered bytes and passes them to `take`, until `take` is done. `take` returns how
/// many bytes it takes, and whether it is done.
pub(super) fn poll_consume<R: AsyncBufRead + ?Sized>(
    mut reader: Pin<&mut R>,
    cx: &mut Context<'_>,
    mut take: impl FnMut(&[u8]) -> (usize, bool),
) -> Poll<io::Result<()>> {
    loop {
        let (n, is_last) = match ready!(reader.as_mut().poll_fill_buf(cx)) {
            Ok(found) => take(found),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Poll::Ready(Err(error)),
        };
        reader.as_mut().consume(n);
        if is_last || n == 0 {
            return Poll::Ready(Ok(()));
        }
    }
}
