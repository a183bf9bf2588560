//! Streams over the receivers of watch and broadcast channels.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use crate::sync::broadcast::error::RecvError;
use crate::sync::broadcast::{self, PolledBroadcast};
use crate::sync::watch::{self, PolledWatch};

/// A stream that yields the values of a watch channel: the current value first, and then each new
/// value. Ends when all senders have been dropped and the last value was yielded.
///
/// The stream may skip values: if several values are sent between two polls, it yields only the
/// latest one.
///
/// # Examples
///
/// ```
/// use std::future::poll_fn;
/// use std::pin::Pin;
/// use wsrt::stream::{Stream, WatchStream};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (level, receiver) = wsrt::sync::watch::channel(1);
/// let mut levels = WatchStream::new(receiver);
/// assert_eq!(poll_fn(|cx| Pin::new(&mut levels).poll_next(cx)).await, Some(1));
/// level.send(2)?;
/// level.send(3)?;
/// assert_eq!(poll_fn(|cx| Pin::new(&mut levels).poll_next(cx)).await, Some(3));
/// drop(level);
/// assert_eq!(poll_fn(|cx| Pin::new(&mut levels).poll_next(cx)).await, None);
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct WatchStream<T> {
    source: PolledWatch<T>,
}

impl<T> WatchStream<T> {
    /// Creates a stream that begins with the channel's current value.
    pub fn new(mut receiver: watch::Receiver<T>) -> Self {
        receiver.mark_changed();
        Self::from_changes(receiver)
    }

    /// Creates a stream that begins with the next value that `receiver` has not seen, and omits the
    /// current value if `receiver` has seen it.
    pub fn from_changes(receiver: watch::Receiver<T>) -> Self {
        Self { source: PolledWatch::new(receiver) }
    }
}

impl<T> AsRef<watch::Receiver<T>> for WatchStream<T> {
    fn as_ref(&self) -> &watch::Receiver<T> {
        self.source.get_ref()
    }
}

// Nothing is pinned: the wait is a key in a list.
impl<T> Unpin for WatchStream<T> {}

impl<T: Clone> Stream for WatchStream<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.source.poll_next(cx).map(Result::ok)
    }
}

/// A stream that yields the values received by a broadcast channel's
/// [`Receiver`](broadcast::Receiver). Ends when the channel is closed and all values were yielded.
///
/// # Errors
///
/// Yields [`RecvError::Lagged`] as an item if values have been lost because the stream was not
/// polled for too long, and continues after it. [`RecvError::Closed`] is not yielded: the stream
/// ends.
///
/// # Examples
///
/// ```
/// use std::future::poll_fn;
/// use std::pin::Pin;
/// use wsrt::stream::{BroadcastStream, Stream};
/// use wsrt::sync::broadcast::error::RecvError;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (news, receiver) = wsrt::sync::broadcast::channel(2);
/// let mut items = BroadcastStream::new(receiver);
/// for number in 1..=3 {
///     news.send(number)?;
/// }
/// drop(news);
/// assert_eq!(poll_fn(|cx| Pin::new(&mut items).poll_next(cx)).await, Some(Err(RecvError::Lagged(1))));
/// assert_eq!(poll_fn(|cx| Pin::new(&mut items).poll_next(cx)).await, Some(Ok(2)));
/// assert_eq!(poll_fn(|cx| Pin::new(&mut items).poll_next(cx)).await, Some(Ok(3)));
/// assert_eq!(poll_fn(|cx| Pin::new(&mut items).poll_next(cx)).await, None);
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct BroadcastStream<T> {
    source: PolledBroadcast<T>,
}

impl<T> BroadcastStream<T> {
    /// Creates a stream of the values that `receiver` has not received.
    pub fn new(receiver: broadcast::Receiver<T>) -> Self {
        Self { source: PolledBroadcast::new(receiver) }
    }
}

impl<T> AsRef<broadcast::Receiver<T>> for BroadcastStream<T> {
    fn as_ref(&self) -> &broadcast::Receiver<T> {
        self.source.get_ref()
    }
}

// Nothing is pinned: the wait is a key in a list.
impl<T> Unpin for BroadcastStream<T> {}

impl<T: Clone> Stream for BroadcastStream<T> {
    type Item = Result<T, RecvError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(match ready!(self.source.poll_recv(cx)) {
            Err(RecvError::Closed) => None,
            item => Some(item),
        })
    }
}
