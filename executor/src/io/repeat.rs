//! A reader that repeats one byte forever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use wsrt_sync::budget::poll_spending;

/// A reader that yields the same byte forever. Returned by [`repeat()`].
///
/// Each read counts against the task's [budget](crate::task::coop).
///
/// # Cancel safety
///
/// `read` is cancel safe: there is no data to lose.
#[derive(Debug)]
pub struct Repeat(u8);

/// Creates a reader that fills every buffer with `byte` and never ends.
///
/// # Examples
///
/// ```
/// use wsrt::io::AsyncReadExt;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let mut bytes = [0; 3];
/// wsrt::io::repeat(7).read_exact(&mut bytes).await?;
/// assert_eq!(bytes, [7; 3]);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
#[must_use]
pub fn repeat(byte: u8) -> Repeat {
    Repeat(byte)
}

impl AsyncRead for Repeat {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        poll_spending(cx, |_| {
            let room = target.initialize_unfilled();
            room.fill(self.0);
            let count = room.len();
            target.advance(count);
            Poll::Ready(Ok(()))
        })
    }
}
