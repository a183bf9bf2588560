//! Reads text to a reader's end.

use super::to_end::Progress;
use crate::io::AsyncRead;
use crate::io::util::text::put_back;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The future returned by [`read_to_string`](super::AsyncReadExt::read_to_string).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ReadToString<'a, R: ?Sized> {
        reader: &'a mut R,
        text: &'a mut String,
        // The text's bytes, while it is read.
        bytes: Vec<u8>,
        progress: Progress,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<'a, R: ?Sized> ReadToString<'a, R> {
    pub(super) fn new(reader: &'a mut R, text: &'a mut String) -> Self {
        let bytes = mem::take(text).into_bytes();
        let progress = Progress::of(&bytes);
        Self { reader, text, bytes, progress, pinned: PhantomPinned }
    }
}

impl<R: AsyncRead + Unpin + ?Sized> Future for ReadToString<'_, R> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let me = self.project();
        let answer = ready!(me.progress.poll(Pin::new(me.reader), cx, me.bytes));
        let mut read = me.progress.read();
        if answer.is_err() {
            // Half of an input is not wanted.
            me.bytes.truncate(me.bytes.len() - read);
            read = 0;
        }
        Poll::Ready(put_back(me.text, me.bytes, read, answer))
    }
}
