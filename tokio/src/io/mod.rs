//! Traits and types for async reading and writing.

mod async_buf_read;
mod async_read;
mod async_seek;
mod async_write;
mod read_buf;

#[cfg(any(feature = "fs", feature = "io-std", feature = "process"))]
pub(crate) mod door;
#[cfg(feature = "io-util")]
mod forward;
#[cfg(feature = "io-util")]
mod join;
#[cfg(feature = "io-util")]
mod split;
#[cfg(feature = "io-std")]
mod standard;
#[cfg(feature = "io-util")]
mod util;

pub use self::async_buf_read::AsyncBufRead;
pub use self::async_read::AsyncRead;
pub use self::async_seek::AsyncSeek;
pub use self::async_write::AsyncWrite;
pub use self::read_buf::ReadBuf;
#[doc(no_inline)]
pub use std::io::{Error, ErrorKind, Result, SeekFrom};

#[cfg(feature = "io-util")]
pub use self::join::{Join, join};
#[cfg(feature = "io-util")]
pub use self::split::{ReadHalf, WriteHalf, split};
#[cfg(feature = "io-util")]
pub use self::util::{
    AsyncBufReadExt, AsyncReadExt, AsyncSeekExt, AsyncWriteExt, BufReader, BufStream, BufWriter, Chain, DuplexStream,
    Empty, Lines, Repeat, SimplexStream, Sink, Split, Take, copy, copy_bidirectional, copy_bidirectional_with_sizes,
    copy_buf, duplex, empty, repeat, simplex, sink,
};

#[cfg(feature = "io-std")]
pub use self::standard::{Stderr, Stdin, Stdout, stderr, stdin, stdout};
#[cfg(feature = "net")]
pub use wsrt::io::{Interest, Ready};

/// Waiting for the readiness of arbitrary file descriptors.
#[cfg(feature = "net")]
pub mod unix {
    pub use wsrt::io::unix::{
        AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdTryNewError,
        AsyncFdTryNewError as AsyncFdRegisterError, TryIoError,
    };
}
