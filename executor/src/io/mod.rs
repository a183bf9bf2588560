//! Traits and functions for asynchronous I/O, and the standard streams.
//!
//! The traits and the types on top of them are tokio's own, from the parts of it that need no
//! runtime, under their names: code that reads and writes by `tokio::io` works here, and the
//! reverse. wsrt's own are:
//!
//! * [`copy_bidirectional()`], which on Linux lets the kernel move the bytes between two sockets;
//! * [`stdin`], [`stdout`] and [`stderr`];
//! * [`Interest`] and [`Ready`], which the sockets' `ready` takes and returns;
//! * on Unix, `unix::AsyncFd`, which waits for any descriptor that the OS can poll.
//!
//! # Fairness
//!
//! tokio's types do not count against a task's budget: a loop over one that is always ready, such
//! as a [`duplex`] pipe, runs until it has to wait. wsrt's own streams do count, so a loop over
//! them yields to other tasks from time to time.
//!
//! # Examples
//!
//! ```
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
//! # std::io::Result::Ok(())
//! ```

pub(crate) mod buffer;
mod copy_bidirectional;
pub(crate) mod offload;
mod stdio;

/// Waiting for any file descriptor that the OS can poll.
#[cfg(unix)]
pub mod unix {
    pub use wsrt_reactor::async_fd::{
        AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdTryNewError, TryIoError,
    };
}

#[doc(no_inline)]
pub use std::io::{Error, ErrorKind, Result, SeekFrom};
pub use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncSeek, AsyncSeekExt, AsyncWrite, AsyncWriteExt,
    BufReader, BufStream, BufWriter, Chain, DuplexStream, Empty, Join, Lines, ReadBuf, ReadHalf, Repeat, SimplexStream,
    Sink, Split, Take, WriteHalf, copy, copy_buf, duplex, empty, join, repeat, simplex, sink, split,
};
pub use wsrt_reactor::{Interest, Ready};

pub use self::copy_bidirectional::{copy_bidirectional, copy_bidirectional_with_sizes};
pub use self::stdio::{Stderr, Stdin, Stdout, stderr, stdin, stdout};
