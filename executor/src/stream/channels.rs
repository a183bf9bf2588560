//! Streams of the values received through a channel.

use crate::sync::mpsc::{Receiver, UnboundedReceiver};

wrap! {
    /// A stream that yields the values received by a bounded channel's [`Receiver`]. The stream
    /// ends when the channel is closed and empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::pin::Pin;
    /// use wsrt::stream::{ReceiverStream, Stream};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let (sender, receiver) = wsrt::sync::mpsc::channel(8);
    /// sender.send(7).await?;
    /// drop(sender);
    /// let mut values = ReceiverStream::new(receiver);
    /// assert_eq!(poll_fn(|cx| Pin::new(&mut values).poll_next(cx)).await, Some(7));
    /// assert_eq!(poll_fn(|cx| Pin::new(&mut values).poll_next(cx)).await, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ReceiverStream<T>, Receiver<T> => T, |receiver, cx| receiver.poll_recv(cx)
}

wrap! {
    /// A stream that yields the values received by an unbounded channel's [`UnboundedReceiver`].
    /// The stream ends when the channel is closed and empty.
    UnboundedReceiverStream<T>, UnboundedReceiver<T> => T, |receiver, cx| receiver.poll_recv(cx)
}
