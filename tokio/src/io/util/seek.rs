//! Extension methods for seeking.

use crate::io::AsyncSeek;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io::{self, SeekFrom};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Async methods for readers and writers that can seek.
///
/// The trait is implemented for every [`AsyncSeek`] type.
pub trait AsyncSeekExt: AsyncSeek {
    /// Seeks to the position `pos`, and returns the new position in bytes from the start.
    fn seek(&mut self, pos: SeekFrom) -> Seek<'_, Self>
    where
        Self: Unpin,
    {
        Seek { target: self, to: Some(pos), pinned: PhantomPinned }
    }

    /// Seeks to the start, and returns the new position, which is 0.
    fn rewind(&mut self) -> Seek<'_, Self>
    where
        Self: Unpin,
    {
        self.seek(SeekFrom::Start(0))
    }

    /// Returns the current position in bytes from the start.
    fn stream_position(&mut self) -> Seek<'_, Self>
    where
        Self: Unpin,
    {
        self.seek(SeekFrom::Current(0))
    }
}

impl<S: AsyncSeek + ?Sized> AsyncSeekExt for S {}

pin_project! {
    /// The future returned by [`seek`](AsyncSeekExt::seek), [`rewind`](AsyncSeekExt::rewind) and
    /// [`stream_position`](AsyncSeekExt::stream_position).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Seek<'a, S: ?Sized> {
        target: &'a mut S,
        // `None` once it has begun.
        to: Option<SeekFrom>,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<S: AsyncSeek + Unpin + ?Sized> Future for Seek<'_, S> {
    type Output = io::Result<u64>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let me = self.project();
        if let Some(to) = *me.to {
            // An earlier one may be under way still, of a future that was dropped.
            ready!(Pin::new(&mut **me.target).poll_complete(cx))?;
            Pin::new(&mut **me.target).start_seek(to)?;
            *me.to = None;
        }
        Pin::new(&mut **me.target).poll_complete(cx)
    }
}
