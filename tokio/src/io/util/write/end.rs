//! Flushing and shutting down a writer.

use crate::io::AsyncWrite;
use pin_project_lite::pin_project;
use std::future::Future;
use std::io;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Defines a future that calls a single method of a writer.
macro_rules! operation {
    ($(#[$doc:meta])* $name:ident, $poll:ident) => {
        pin_project! {
            $(#[$doc])*
            #[derive(Debug)]
            #[must_use = "futures do nothing unless you `.await` or poll them"]
            pub struct $name<'a, W: ?Sized> {
                writer: &'a mut W,
                #[pin]
                pinned: PhantomPinned,
            }
        }

        impl<'a, W: ?Sized> $name<'a, W> {
            pub(super) fn new(writer: &'a mut W) -> Self {
                Self { writer, pinned: PhantomPinned }
            }
        }

        impl<W: AsyncWrite + Unpin + ?Sized> Future for $name<'_, W> {
            type Output = io::Result<()>;

            fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Pin::new(self.project().writer).$poll(cx)
            }
        }
    };
}

operation! {
    /// The future returned by [`flush`](super::AsyncWriteExt::flush).
    Flush, poll_flush
}

operation! {
    /// The future returned by [`shutdown`](super::AsyncWriteExt::shutdown).
    Shutdown, poll_shutdown
}
