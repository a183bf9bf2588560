//! The wrappers: streams over intervals, listeners, signals, directories and channel receivers.

use std::io;

#[cfg(unix)]
use wsrt_reactor::net::UnixListener;
#[cfg(unix)]
use wsrt_reactor::net::UnixStream;
use wsrt_reactor::net::{TcpListener, TcpStream};

use crate::fs::{DirEntry, ReadDir};
#[cfg(all(unix, feature = "signal"))]
use crate::signal::unix::Signal;
use crate::sync::mpsc::{Receiver, UnboundedReceiver};
use crate::time::{Instant, Interval};

/// Generates a type that wraps `$source`, whose next item is the result of `$poll`.
macro_rules! wrap {
    (
        $(#[$attribute:meta])*
        $name:ident $(<$parameter:ident>)?, $source:ty => $item:ty, |$inner:ident, $cx:ident| $poll:expr
    ) => {
        $(#[$attribute])*
        #[derive(Debug)]
        #[must_use = "a stream does nothing unless it is polled"]
        pub struct $name $(<$parameter>)? {
            source: $source,
        }

        impl $(<$parameter>)? $name $(<$parameter>)? {
            /// Creates a stream from the value to wrap.
            pub fn new(source: $source) -> Self {
                Self { source }
            }

            /// Unwraps the stream and returns the wrapped value.
            pub fn into_inner(self) -> $source {
                self.source
            }
        }

        impl $(<$parameter>)? AsRef<$source> for $name $(<$parameter>)? {
            fn as_ref(&self) -> &$source {
                &self.source
            }
        }

        impl $(<$parameter>)? AsMut<$source> for $name $(<$parameter>)? {
            fn as_mut(&mut self) -> &mut $source {
                &mut self.source
            }
        }

        // Nothing is pinned: items are moved out by value.
        impl $(<$parameter>)? Unpin for $name $(<$parameter>)? {}

        impl $(<$parameter>)? futures_core::Stream for $name $(<$parameter>)? {
            type Item = $item;

            fn poll_next(
                mut self: std::pin::Pin<&mut Self>,
                $cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Option<$item>> {
                let $inner = &mut self.source;
                $poll
            }
        }
    };
}

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

wrap! {
    /// A stream that yields the entries of a directory and ends after the last entry.
    ///
    /// # Panics
    ///
    /// Polling panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Yields the errors of [`ReadDir::next_entry`] as items, and continues after each error.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::pin::Pin;
    /// use wsrt::fs::read_dir;
    /// use wsrt::stream::{ReadDirStream, Stream};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut entries = ReadDirStream::new(read_dir(std::env::temp_dir()).await?);
    /// while let Some(entry) = poll_fn(|cx| Pin::new(&mut entries).poll_next(cx)).await {
    ///     println!("{}", entry?.path().display());
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    ReadDirStream, ReadDir => io::Result<DirEntry>, |entries, cx| entries.poll_next_entry(cx).map(Result::transpose)
}

wrap! {
    /// A stream that yields the instants at which an [`Interval`]'s ticks were due. Never ends.
    ///
    /// # Panics
    ///
    /// Polling panics outside a runtime.
    ///
    /// # Cancel safety
    ///
    /// Polling is cancel safe: a tick that was not returned is returned by the next poll.
    IntervalStream, Interval => Instant, |interval, cx| interval.poll_tick(cx).map(Some)
}

wrap! {
    /// A stream that yields the connections accepted by a [`TcpListener`]. The stream never ends,
    /// and continues after errors.
    ///
    /// # Errors
    ///
    /// Yields the errors of [`TcpListener::accept`] as items.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::pin::Pin;
    /// use wsrt::net::{TcpListener, TcpStream};
    /// use wsrt::stream::{Stream, TcpListenerStream};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let client = TcpStream::connect(listener.local_addr()?).await?;
    /// let mut connections = TcpListenerStream::new(listener);
    /// let server = poll_fn(|cx| Pin::new(&mut connections).poll_next(cx)).await.expect("it never ends")?;
    /// assert_eq!(server.peer_addr()?, client.local_addr()?);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    TcpListenerStream, TcpListener => io::Result<TcpStream>,
    |listener, cx| listener.poll_accept(cx).map(|accepted| Some(accepted.map(|(stream, _)| stream)))
}

#[cfg(unix)]
wrap! {
    /// A stream that yields the connections accepted by a [`UnixListener`]. The stream never ends,
    /// and continues after errors. Available on Unix only.
    ///
    /// # Errors
    ///
    /// Yields the errors of [`UnixListener::accept`] as items.
    UnixListenerStream, UnixListener => io::Result<UnixStream>,
    |listener, cx| listener.poll_accept(cx).map(|accepted| Some(accepted.map(|(stream, _)| stream)))
}

#[cfg(all(unix, feature = "signal"))]
wrap! {
    /// A stream that yields `()` each time the signal arrives. The stream ends when the listener
    /// can receive no further signal.
    ///
    /// # Panics
    ///
    /// Polling panics outside a runtime.
    SignalStream, Signal => (), |signal, cx| signal.poll_recv(cx)
}
