//! Streams: intervals, listeners, signals, directories and the receivers of channels as
//! [`Stream`]s of the crate futures-core.
//!
//! With feature `stream`. Each wraps a value whose method it calls for the next item. A loop around
//! that method does as well: they are for functions that take streams, and for combinators such as
//! the ones of `futures-util`. [`KeepAlive`] wraps another stream, and fills its silences.
//!
//! # Cancel safety
//!
//! The streams are cancel safe: an item that a poll has not returned is returned by the next.
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

#[macro_use]
mod wrap;
mod channels;
mod directories;
mod intervals;
mod keep_alive;
mod listeners;
#[cfg(all(unix, feature = "signal"))]
mod signals;

pub use futures_core::Stream;

pub use self::channels::{ReceiverStream, UnboundedReceiverStream};
pub use self::directories::ReadDirStream;
pub use self::intervals::IntervalStream;
pub use self::keep_alive::KeepAlive;
pub use self::listeners::TcpListenerStream;
#[cfg(unix)]
pub use self::listeners::UnixListenerStream;
#[cfg(all(unix, feature = "signal"))]
pub use self::signals::SignalStream;
