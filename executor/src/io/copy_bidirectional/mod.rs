//! Copies bytes in both directions between two streams, as a proxy does.

#[cfg(target_os = "linux")]
mod splice;

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite};

use super::copy::BUFFER;
use crate::io::copy::Transfer;

/// Copies bytes from `a` to `b` and from `b` to `a` until both streams have ended, and returns the
/// number of bytes copied in each direction: `a` to `b` first, then `b` to `a`.
///
/// When one stream ends and all of its bytes have been written, the other stream is shut down for
/// writing, and copying continues in the opposite direction. A slow reader slows down the sender on
/// the other side, because the call buffers at most 8 KiB per direction. Use
/// [`copy_bidirectional_with_sizes`] to choose other buffer sizes. Urgent TCP data is not copied.
///
/// # Between sockets, on Linux
///
/// If both streams are wsrt's own sockets ([`TcpStream`](crate::net::TcpStream) or
/// [`UnixStream`](crate::net::UnixStream)) and data arrives in bulk, the kernel moves the bytes
/// with `splice(2)` instead of copying them through this process: over loopback, splicing took a
/// third of the CPU time of the buffered copy. Splicing needs two extra descriptors per direction
/// while it lasts; when none are left, the buffer is used. Sockets inside another type, such as a
/// TLS stream, are always copied through the buffer.
///
/// # Errors
///
/// Returns the first error of either stream. Copying then stops in both directions, and bytes that
/// were read but not yet written are lost.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped before it completes, bytes that were read but not yet
/// written are lost, and the number of bytes copied so far is not reported.
///
/// # Examples
///
/// ```
/// use wsrt::net::{TcpListener, TcpStream};
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (proxy, server) = (TcpListener::bind("127.0.0.1:0").await?, TcpListener::bind("127.0.0.1:0").await?);
/// let (proxy_address, server_address) = (proxy.local_addr()?, server.local_addr()?);
///
/// let proxied = wsrt::spawn(async move {
///     let (mut client, _) = proxy.accept().await?;
///     let mut server = TcpStream::connect(server_address).await?;
///     wsrt::io::copy_bidirectional(&mut client, &mut server).await
/// });
///
/// let mut client = TcpStream::connect(proxy_address).await?;
/// let (mut served, _) = server.accept().await?;
/// client.write_all(b"question").await?;
/// client.shutdown().await?;
/// let mut question = String::new();
/// served.read_to_string(&mut question).await?;
/// served.write_all(b"the answer").await?;
/// drop(served);
/// let mut answer = String::new();
/// client.read_to_string(&mut answer).await?;
///
/// assert_eq!((&question[..], &answer[..]), ("question", "the answer"));
/// assert_eq!(proxied.await??, (8, 10));
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn copy_bidirectional<A, B>(a: &mut A, b: &mut B) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    copy_bidirectional_with_sizes(a, b, BUFFER, BUFFER).await
}

/// Copies bytes in both directions like [`copy_bidirectional`], with buffers of `a_to_b` and
/// `b_to_a` bytes. A size of 0 counts as 1.
///
/// # Errors
///
/// Returns the same errors as [`copy_bidirectional`].
///
/// # Cancel safety
///
/// Not cancel safe, like [`copy_bidirectional`].
///
/// # Examples
///
/// ```
/// use wsrt::io::AsyncWriteExt;
///
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let (mut one, mut a) = wsrt::io::duplex(16);
/// let (mut b, other) = wsrt::io::duplex(16);
/// one.write_all(b"too late").await?;
/// drop(one);
/// drop(other);
/// let outcome = wsrt::io::copy_bidirectional_with_sizes(&mut a, &mut b, 4, 1).await;
/// assert_eq!(outcome.unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
/// # std::io::Result::Ok(()) })?;
/// # std::io::Result::Ok(())
/// ```
pub async fn copy_bidirectional_with_sizes<A, B>(
    a: &mut A,
    b: &mut B,
    a_to_b: usize,
    b_to_a: usize,
) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let sizes = (a_to_b.max(1), b_to_a.max(1));
    #[cfg(target_os = "linux")]
    if let Some((a, b)) = splice::sockets(a, b) {
        return splice::copy(a, b, sizes).await;
    }
    copy(a, b, sizes).await
}

async fn copy<A, B>(a: &mut A, b: &mut B, (a_to_b, b_to_a): (usize, usize)) -> io::Result<(u64, u64)>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let (mut a_to_b, mut b_to_a) = (BufferedDirection::new(a_to_b), BufferedDirection::new(b_to_a));
    poll_fn(|cx| {
        let there = a_to_b.poll(cx, Pin::new(&mut *a), Pin::new(&mut *b))?;
        let back = b_to_a.poll(cx, Pin::new(&mut *b), Pin::new(&mut *a))?;
        match (there, back) {
            (Poll::Ready(there), Poll::Ready(back)) => Poll::Ready(Ok((there, back))),
            _ => Poll::Pending,
        }
    })
    .await
}

/// One of the two directions: a transfer, after which the writer is shut down.
#[derive(Debug)]
struct BufferedDirection {
    transfer: Transfer,
    is_shut_down: bool,
}

impl BufferedDirection {
    fn new(size: usize) -> Self {
        Self { transfer: Transfer::new(size), is_shut_down: false }
    }

    /// Returns the number of copied bytes once the direction is done, and on every later poll.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        reader: Pin<&mut (impl AsyncRead + ?Sized)>,
        mut writer: Pin<&mut (impl AsyncWrite + ?Sized)>,
    ) -> Poll<io::Result<u64>> {
        let total = ready!(self.transfer.poll(cx, reader, writer.as_mut()))?;
        if !self.is_shut_down {
            ready!(writer.poll_shutdown(cx))?;
            self.is_shut_down = true;
        }
        Poll::Ready(Ok(total))
    }
}
