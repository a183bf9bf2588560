//! Traits and functions for asynchronous I/O, and the standard streams.
//!
//! The traits and the adapters on top of them are tokio's own, from the parts of it that need no
//! runtime, under their names: code that reads and writes by `tokio::io` works here, and the
//! reverse. wsrt's own are:
//!
//! * the sources and sinks in memory: [`duplex()`], [`simplex()`], [`empty()`], [`repeat()`] and
//!   [`sink()`];
//! * [`copy()`], [`copy_buf()`] and [`join()`];
//! * [`copy_bidirectional()`], which on Linux lets the kernel move the bytes between two sockets;
//! * [`stdin`], [`stdout`] and [`stderr`];
//! * [`SyncIoBridge`], a stream for code that blocks;
//! * [`Interest`] and [`Ready`], which the sockets' `ready` takes and returns;
//! * on Unix, `unix::AsyncFd`, which waits for any descriptor that the OS can poll.
//!
//! # Without feature `tokio-io`
//!
//! The feature is on by default, and brings the traits: without it, tokio's two crates of traits
//! are not compiled. There are then no adapters, no streams in memory and no copies here; sockets,
//! files, pipes and standard streams are read and written by their own methods.
//!
//! # Fairness
//!
//! Each operation of wsrt's own streams and copies that completes at once counts against the task's
//! [budget](crate::task::coop): a loop over a stream that is always ready lets other tasks run, and
//! a [`timeout`](crate::time::timeout) around it fires. tokio's adapters ([`BufReader`], [`Take`],
//! [`Chain`], [`Lines`], …) count by the streams below them. Over bytes that are in memory already,
//! such as a `&[u8]` or a [`Cursor`](std::io::Cursor), they never wait and count nothing, and the
//! lines in a buffer of a [`BufReader`] are returned before the stream below it counts again.
//! Around a long loop over those, use [`cooperative`](crate::task::coop::cooperative).
//!
//! # Examples
//!
//! ```
//! # #[cfg(feature = "tokio-io")] {
//! use wsrt::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
//!
//! # wsrt::runtime::Runtime::new()?.block_on(async {
//! let (mut ours, theirs) = wsrt::io::duplex(64);
//! ours.write_all(b"one\ntwo\n").await?;
//! drop(ours);
//!
//! let mut lines = BufReader::new(theirs).lines();
//! assert_eq!(lines.next_line().await?.as_deref(), Some("one"));
//! assert_eq!(lines.next_line().await?.as_deref(), Some("two"));
//! assert_eq!(lines.next_line().await?, None);
//! # std::io::Result::Ok(()) })?;
//! # }
//! # std::io::Result::Ok(())
//! ```

pub(crate) mod buffer;
#[cfg(feature = "tokio-io")]
mod byte_queue;
#[cfg(feature = "tokio-io")]
mod copy;
#[cfg(feature = "tokio-io")]
mod copy_bidirectional;
#[cfg(feature = "tokio-io")]
mod copy_budget;
#[cfg(feature = "tokio-io")]
mod copy_buf;
#[cfg(feature = "tokio-io")]
mod duplex;
#[cfg(feature = "tokio-io")]
mod empty;
#[cfg(feature = "tokio-io")]
mod join;
pub(crate) mod offload;
pub(crate) mod read_methods;
#[cfg(feature = "tokio-io")]
mod repeat;
#[cfg(feature = "tokio-io")]
mod simplex;
#[cfg(feature = "tokio-io")]
mod sink;
mod stdio;
#[cfg(feature = "tokio-io")]
mod sync_io_bridge;
pub(crate) mod target;
#[cfg(feature = "tokio-io")]
pub(crate) mod tokio_traits;
#[cfg(feature = "tokio-io")]
mod transfer;
pub(crate) mod write_methods;

/// Waiting for any file descriptor that the OS can poll.
#[cfg(unix)]
pub mod unix {
    #[doc(inline)]
    pub use wsrt_reactor::async_fd::{
        AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdTryNewError, TryIoError,
    };
}

#[doc(no_inline)]
pub use std::io::{Error, ErrorKind, Result, SeekFrom};
#[cfg(feature = "tokio-io")]
#[doc(inline)]
pub use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncSeek, AsyncSeekExt, AsyncWrite, AsyncWriteExt,
    BufReader, BufStream, BufWriter, Chain, Lines, ReadBuf, ReadHalf, Split, Take, WriteHalf, split,
};
#[doc(inline)]
pub use wsrt_reactor::{Interest, Ready};

#[cfg(feature = "tokio-io")]
pub use self::copy::copy;
#[cfg(feature = "tokio-io")]
pub use self::copy_bidirectional::{copy_bidirectional, copy_bidirectional_with_sizes};
#[cfg(feature = "tokio-io")]
pub use self::copy_buf::copy_buf;
#[cfg(feature = "tokio-io")]
pub use self::duplex::{DuplexStream, duplex};
#[cfg(feature = "tokio-io")]
pub use self::empty::{Empty, empty};
#[cfg(feature = "tokio-io")]
pub use self::join::{Join, join};
#[cfg(feature = "tokio-io")]
pub use self::repeat::{Repeat, repeat};
#[cfg(feature = "tokio-io")]
pub use self::simplex::{SimplexStream, simplex};
#[cfg(feature = "tokio-io")]
pub use self::sink::{Sink, sink};
pub use self::stdio::{Stderr, Stdin, Stdout, stderr, stdin, stdout};
#[cfg(feature = "tokio-io")]
pub use self::sync_io_bridge::SyncIoBridge;
