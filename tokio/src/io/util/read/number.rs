//! Reads a number.

use super::exact::poll_fill;
use crate::io::AsyncRead;
use pin_project_lite::pin_project;
use std::fmt;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by the methods that read a number, such as
    /// [`read_u8`](super::AsyncReadExt::read_u8).
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadNumber<'a, R: ?Sized, N, B> {
        reader: &'a mut R,
        bytes: B,
        filled: usize,
        decode: fn(B) -> N,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized, N, B: Default> ReadNumber<'a, R, N, B> {
    pub(super) fn new(reader: &'a mut R, decode: fn(B) -> N) -> Self {
        Self { reader, bytes: B::default(), filled: 0, decode, pinned: PhantomPinned }
    }
}

impl<R, N, B> Future for ReadNumber<'_, R, N, B>
where
    R: AsyncRead + Unpin + ?Sized,
    B: AsMut<[u8]> + Copy,
{
    type Output = io::Result<N>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<N>> {
        let me = self.project();
        ready!(poll_fill(Pin::new(me.reader), cx, me.bytes.as_mut(), me.filled))?;
        Poll::Ready(Ok((me.decode)(*me.bytes)))
    }
}

impl<R: ?Sized, N, B: fmt::Debug> fmt::Debug for ReadNumber<'_, R, N, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadNumber").field("bytes", &self.bytes).field("filled", &self.filled).finish_non_exhaustive()
    }
}
