//! Copying in both directions between two streams, as a proxy does.

mod buffered;
#[cfg(target_os = "linux")]
mod splice;

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use super::copy::BUFFER;

/// Copies bytes from `a` to `b` and from `b` to `a`, until both have ended. Returns the number of
/// bytes from `a` to `b`, and from `b` to `a`.
///
/// When one stream has ended, the other's writing direction is shut down once all is written, and
/// copying continues in the other direction. A stream that reads slowly slows down the sender at
/// the other end: the call holds no more than a buffer of 8 KiB in each direction
/// ([`copy_bidirectional_with_sizes`] has other sizes). Urgent bytes of TCP are not copied.
///
/// # Between sockets, on Linux
///
/// If both are wsrt's own sockets ([`TcpStream`](crate::net::TcpStream),
/// [`UnixStream`](crate::net::UnixStream)), and much arrives at a time, the kernel moves the bytes
/// by `splice(2)` without copying them to this process: on the loopback that took a third of the
/// CPU time that copying through the buffer takes. It needs two descriptors in each direction while
/// it lasts; if none are left, the buffer is used. Wrapped sockets are copied through the buffer.
///
/// # Errors
///
/// Returns the first error of either stream. The other direction then stops, and bytes that were
/// read and not yet written in it are lost.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped while it waits, bytes that were read and not yet
/// written are lost, and their number is not reported.
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

/// Copies as [`copy_bidirectional`] does, with buffers of `a_to_b` and `b_to_a` bytes; at least 1.
///
/// # Errors
///
/// Returns the errors of [`copy_bidirectional`].
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
    buffered::copy(a, b, sizes).await
}
