//! Adds items to a stream while the stream is silent.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use pin_project_lite::pin_project;

use crate::time::{Instant, Sleep, sleep};

pin_project! {
    /// A stream that forwards another stream's items, and yields an item of its own whenever that
    /// stream has been silent for a given time.
    ///
    /// Use this type for server-sent events: proxies close connections that are silent for too
    /// long, and a server only notices that a client has gone when it writes. axum's own
    /// `Sse::keep_alive` sleeps on tokio's timers, and `KeepAlive` on wsrt's:
    ///
    /// ```text
    /// let events = KeepAlive::new(events, Duration::from_secs(15), || Ok(Event::DEFAULT_KEEP_ALIVE));
    /// Sse::new(events)
    /// ```
    ///
    /// The time counts from the last item, or from the call of [`new`](KeepAlive::new) before the
    /// first item. The stream ends when the wrapped stream ends.
    ///
    /// # Panics
    ///
    /// Polling panics outside a runtime if the poll has to wait.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::pin::pin;
    /// use std::time::Duration;
    /// use wsrt::stream::{KeepAlive, ReceiverStream, Stream};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let (sender, receiver) = wsrt::sync::mpsc::channel(8);
    /// let values = KeepAlive::new(ReceiverStream::new(receiver), Duration::from_millis(20), || "still here");
    /// let mut values = pin!(values);
    /// sender.send("hello").await?;
    /// assert_eq!(poll_fn(|cx| values.as_mut().poll_next(cx)).await, Some("hello"));
    /// assert_eq!(poll_fn(|cx| values.as_mut().poll_next(cx)).await, Some("still here"));
    /// drop(sender);
    /// assert_eq!(poll_fn(|cx| values.as_mut().poll_next(cx)).await, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct KeepAlive<S, F> {
        #[pin]
        source: S,
        #[pin]
        silence: Sleep,
        longest: Duration,
        make: F,
    }
}

impl<S, F> KeepAlive<S, F>
where
    S: Stream,
    F: FnMut() -> S::Item,
{
    /// Creates a stream that forwards the items of `source`, and calls `make` for an additional
    /// item whenever `source` has yielded none for the duration `longest`.
    ///
    /// # Panics
    ///
    /// Panics if `longest` is zero.
    #[track_caller]
    pub fn new(source: S, longest: Duration, make: F) -> Self {
        assert!(!longest.is_zero(), "a stream cannot be kept alive at every moment: the duration has to be above zero");
        Self { source, silence: sleep(longest), longest, make }
    }
}

impl<S, F> Stream for KeepAlive<S, F>
where
    S: Stream,
    F: FnMut() -> S::Item,
{
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let mut this = self.project();
        let item = match this.source.poll_next(cx) {
            Poll::Ready(item) => item,
            Poll::Pending => {
                ready!(this.silence.as_mut().poll(cx));
                Some((this.make)())
            }
        };
        // By the time of this item. The one before it may have been long in coming to its reader.
        this.silence.as_mut().reset(Instant::now().after(*this.longest));
        Poll::Ready(item)
    }
}
