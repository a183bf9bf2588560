//! Wrappers that turn intervals, listeners, signals, directories and channel receivers into
//! [`Stream`]s of the futures-core crate.
//!
//! This module is available with feature `stream`. Each wrapper calls a method of the wrapped value
//! to get the next item. A plain loop around that method works just as well: use the wrappers with
//! functions that expect a stream, and with combinators such as those of `futures-util`.
//! [`KeepAlive`] wraps any other stream and adds items while that stream is silent.
//!
//! # Cancel safety
//!
//! All streams of this module are cancel safe: an item that a poll does not return is returned by
//! the next poll.
//!
//! # Examples
//!
//! ```
//! use std::future::poll_fn;
//! use std::pin::Pin;
//! use std::time::Duration;
//! use wsrt::stream::{IntervalStream, Stream};
//! use wsrt::time::interval;
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! let mut ticks = IntervalStream::new(interval(Duration::from_millis(1)));
//! let first = poll_fn(|cx| Pin::new(&mut ticks).poll_next(cx)).await;
//! let second = poll_fn(|cx| Pin::new(&mut ticks).poll_next(cx)).await;
//! assert!(first < second);
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

mod channels;
mod keep_alive;
mod wrappers;

pub use futures_core::Stream;

pub use self::channels::{BroadcastStream, WatchStream};
pub use self::keep_alive::KeepAlive;
#[cfg(all(unix, feature = "signal"))]
pub use self::wrappers::SignalStream;
#[cfg(unix)]
pub use self::wrappers::UnixListenerStream;
pub use self::wrappers::{IntervalStream, ReadDirStream, ReceiverStream, TcpListenerStream, UnboundedReceiverStream};
