//! Traits and functions for asynchronous I/O, and the standard streams.
//!
//! The traits and their adapters are re-exported from the parts of tokio that need no runtime,
//! under tokio's names, so code that uses `tokio::io` traits works with wsrt's streams, and wsrt
//! code works with tokio's. The following items are wsrt's own:
//!
//! * in-memory sources and sinks: [`duplex()`], [`simplex()`], [`empty()`], [`repeat()`] and
//!   [`sink()`];
//! * [`copy()`], [`copy_buf()`] and [`join()`];
//! * [`copy_bidirectional()`], which on Linux lets the kernel move the bytes between two sockets;
//! * [`stdin`](stdin()), [`stdout`] and [`stderr`];
//! * [`SyncIoBridge`], which lets blocking code use an asynchronous stream;
//! * [`Interest`] and [`Ready`], which a socket's `ready` method takes and returns;
//! * on Unix, `unix::AsyncFd`, which waits until any descriptor that the OS can poll is ready.
//!
//! # Without feature `tokio-io`
//!
//! The feature is enabled by default and provides the traits. Without the feature, the two tokio
//! crates that define the traits are not compiled, and this module has no adapters, in-memory
//! streams or copy functions. Sockets, files, pipes and the standard streams are then read and
//! written through their inherent methods.
//!
//! # Fairness
//!
//! Every operation of wsrt's own streams and copy functions that completes immediately counts
//! against the task's [budget](crate::task::coop), so a loop over a stream that is always ready
//! lets other tasks run, and a [`timeout`](crate::time::timeout) around the loop fires. tokio's
//! adapters ([`BufReader`], [`Take`], [`Chain`], [`Lines`], …) spend budget only through the
//! streams they wrap. Reads from in-memory bytes, such as a `&[u8]` or a
//! [`Cursor`](std::io::Cursor), never wait and spend no budget, and neither do lines that a
//! [`BufReader`] has already buffered. Wrap a long loop over such bytes in
//! [`cooperative`](crate::task::coop::cooperative).
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
mod copy;
#[cfg(feature = "tokio-io")]
mod copy_bidirectional;
#[cfg(feature = "tokio-io")]
mod in_memory;
#[cfg(feature = "tokio-io")]
mod join;
pub(crate) mod methods;
pub(crate) mod offload;
mod output;
mod stdin;
#[cfg(feature = "tokio-io")]
mod sync_io_bridge;
#[cfg(feature = "tokio-io")]
mod trivial;

/// Waits for readiness of any file descriptor that the OS can poll.
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
pub use self::copy::{copy, copy_buf};
#[cfg(feature = "tokio-io")]
pub use self::copy_bidirectional::{copy_bidirectional, copy_bidirectional_with_sizes};
#[cfg(feature = "tokio-io")]
pub use self::in_memory::{DuplexStream, SimplexStream, duplex, simplex};
#[cfg(feature = "tokio-io")]
pub use self::join::{Join, join};
pub use self::output::{Stderr, Stdout, stderr, stdout};
pub use self::stdin::{Stdin, stdin};
#[cfg(feature = "tokio-io")]
pub use self::sync_io_bridge::SyncIoBridge;
#[cfg(feature = "tokio-io")]
pub use self::trivial::{Empty, Repeat, Sink, empty, repeat, sink};
