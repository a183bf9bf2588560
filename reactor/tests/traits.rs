//! The traits that the ecosystem asks for, on every kind of stream and on all halves.

use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wsrt_reactor::net::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, TcpListener, TcpStream, WriteHalf};
use wsrt_reactor::net::{TcpSocket, UdpSocket};
#[cfg(unix)]
use wsrt_reactor::net::{UnixDatagram, UnixListener, UnixStream, unix, unix::pipe};
use wsrt_reactor::timer::{TimerEntry, TimerQueue};
use wsrt_reactor::{Evented, Handle, Netpoller};
use wsrt_reactor_testing::run;

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    let (server, _) = listener.accept().await?;
    Ok((client, server))
}

async fn read<R: AsyncRead + Unpin>(reader: &mut R, buf: &mut ReadBuf<'_>) -> io::Result<()> {
    poll_fn(|cx| Pin::new(&mut *reader).poll_read(cx, buf)).await
}

/// Writes through every method of the trait, then ends the stream.
async fn speak<W: AsyncWrite + Unpin>(writer: &mut W) -> io::Result<()> {
    assert!(writer.is_write_vectored());
    assert_eq!(poll_fn(|cx| Pin::new(&mut *writer).poll_write(cx, b"hello ")).await?, 6);
    let pieces = [IoSlice::new(b"vectored "), IoSlice::new(b"world")];
    assert_eq!(poll_fn(|cx| Pin::new(&mut *writer).poll_write_vectored(cx, &pieces)).await?, 14);
    poll_fn(|cx| Pin::new(&mut *writer).poll_flush(cx)).await?;
    poll_fn(|cx| Pin::new(&mut *writer).poll_shutdown(cx)).await
}

/// Reads to the end in small pieces, into memory that was never initialised.
async fn listen<R: AsyncRead + Unpin>(reader: &mut R) -> io::Result<Vec<u8>> {
    let mut heard = Vec::new();
    loop {
        let mut room = [const { std::mem::MaybeUninit::uninit() }; 7];
        let mut buf = ReadBuf::uninit(&mut room);
        read(reader, &mut buf).await?;
        if buf.filled().is_empty() {
            return Ok(heard);
        }
        heard.extend_from_slice(buf.filled());
    }
}

/// Lets `$speak` and `$listen`, which go through one family of traits, talk over every kind of
/// stream and every half.
macro_rules! talk_over_everything {
    ($speak:ident, $listen:ident) => {
        run(async {
            const SAID: &[u8] = b"hello vectored world";
            macro_rules! talk_over {
                ($pair:expr) => {
                    let (mut client, mut server) = $pair;
                    $speak(&mut client).await.unwrap();
                    assert_eq!($listen(&mut server).await.unwrap(), SAID);

                    let (mut client, mut server) = $pair;
                    $speak(&mut client.split().1).await.unwrap();
                    assert_eq!($listen(&mut server.split().0).await.unwrap(), SAID);

                    let (client, server) = $pair;
                    let ((_read, mut write), (mut read, _write)) = (client.into_split(), server.into_split());
                    $speak(&mut write).await.unwrap();
                    assert_eq!($listen(&mut read).await.unwrap(), SAID);
                };
            }
            talk_over!(pair().await.unwrap());
            #[cfg(unix)]
            {
                talk_over!(UnixStream::pair().unwrap());
                let (mut sender, mut receiver) = pipe::pipe().unwrap();
                $speak(&mut sender).await.unwrap();
                drop(sender);
                assert_eq!($listen(&mut receiver).await.unwrap(), SAID);
            }
        });
    };
}

#[test]
fn tokios_traits_work_on_every_stream_and_every_half() {
    talk_over_everything!(speak, listen);
}

#[test]
fn a_read_appends_to_what_the_buffer_holds() {
    run(async {
        let (mut client, mut server) = pair().await.unwrap();
        client.write_all(b"def").await.unwrap();
        let mut room = [0; 8];
        let mut buf = ReadBuf::new(&mut room);
        buf.put_slice(b"abc");
        read(&mut server, &mut buf).await.unwrap();
        assert_eq!(buf.filled(), b"abcdef");
    });
}

#[test]
fn a_peek_appends_to_what_the_buffer_holds() {
    run(async {
        let (mut client, server) = pair().await.unwrap();
        client.write_all(b"def").await.unwrap();
        let mut room = [0; 8];
        let mut buf = ReadBuf::new(&mut room);
        buf.put_slice(b"abc");
        assert_eq!(poll_fn(|cx| server.poll_peek(cx, &mut buf)).await.unwrap(), 3);
        assert_eq!(buf.filled(), b"abcdef");
    });
}

#[cfg(feature = "hyper")]
#[test]
fn hypers_traits_work_on_every_stream_and_every_half() {
    use hyper::rt::{Read, Write};

    async fn speak<W: Write + Unpin>(writer: &mut W) -> io::Result<()> {
        assert!(writer.is_write_vectored());
        assert_eq!(poll_fn(|cx| Pin::new(&mut *writer).poll_write(cx, b"hello ")).await?, 6);
        let pieces = [IoSlice::new(b"vectored "), IoSlice::new(b"world")];
        assert_eq!(poll_fn(|cx| Pin::new(&mut *writer).poll_write_vectored(cx, &pieces)).await?, 14);
        poll_fn(|cx| Pin::new(&mut *writer).poll_flush(cx)).await?;
        poll_fn(|cx| Pin::new(&mut *writer).poll_shutdown(cx)).await
    }

    async fn listen<R: Read + Unpin>(reader: &mut R) -> io::Result<Vec<u8>> {
        let mut heard = Vec::new();
        loop {
            let mut room = [const { std::mem::MaybeUninit::uninit() }; 7];
            let mut buf = hyper::rt::ReadBuf::uninit(&mut room);
            poll_fn(|cx| Pin::new(&mut *reader).poll_read(cx, buf.unfilled())).await?;
            if buf.filled().is_empty() {
                return Ok(heard);
            }
            heard.extend_from_slice(buf.filled());
        }
    }

    talk_over_everything!(speak, listen);
}

#[cfg(feature = "futures-io")]
#[test]
fn futures_ios_traits_work_on_every_stream_and_every_half() {
    use futures_io::{AsyncRead, AsyncWrite};
    use std::io::IoSliceMut;

    async fn speak<W: AsyncWrite + Unpin>(writer: &mut W) -> io::Result<()> {
        assert_eq!(poll_fn(|cx| Pin::new(&mut *writer).poll_write(cx, b"hello ")).await?, 6);
        let pieces = [IoSlice::new(b"vectored "), IoSlice::new(b"world")];
        assert_eq!(poll_fn(|cx| Pin::new(&mut *writer).poll_write_vectored(cx, &pieces)).await?, 14);
        poll_fn(|cx| Pin::new(&mut *writer).poll_flush(cx)).await?;
        poll_fn(|cx| Pin::new(&mut *writer).poll_close(cx)).await
    }

    async fn listen<R: AsyncRead + Unpin>(reader: &mut R) -> io::Result<Vec<u8>> {
        let mut heard = Vec::new();
        loop {
            let (mut first, mut second, mut third) = ([0; 2], [0; 3], [0; 4]);
            let mut pieces = [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)];
            let count = poll_fn(|cx| Pin::new(&mut *reader).poll_read_vectored(cx, &mut pieces)).await?;
            heard.extend_from_slice(&[&first[..], &second[..]].concat()[..count]);
            let more = poll_fn(|cx| Pin::new(&mut *reader).poll_read(cx, &mut third)).await?;
            heard.extend_from_slice(&third[..more]);
            if more == 0 {
                return Ok(heard);
            }
        }
    }

    talk_over_everything!(speak, listen);
}

#[test]
fn everything_goes_between_threads() {
    fn both<T: Send + Sync>() {}
    both::<Netpoller>();
    both::<Handle>();
    both::<wsrt_reactor::context::ReactorContext>();
    both::<TcpListener>();
    both::<TcpStream>();
    both::<ReadHalf<'_>>();
    both::<WriteHalf<'_>>();
    both::<OwnedReadHalf>();
    both::<OwnedWriteHalf>();
    both::<TcpSocket>();
    both::<UdpSocket>();
    #[cfg(unix)]
    {
        both::<UnixDatagram>();
        both::<UnixListener>();
        both::<UnixStream>();
        both::<unix::ReadHalf<'_>>();
        both::<unix::WriteHalf<'_>>();
        both::<unix::OwnedReadHalf>();
        both::<unix::OwnedWriteHalf>();
        both::<pipe::Sender>();
        both::<pipe::Receiver>();
    }
    both::<Evented<mio::net::UdpSocket>>();
    both::<TimerQueue>();
    both::<TimerEntry>();
}

#[test]
fn sockets_may_be_held_across_a_caught_panic() {
    fn safe<T: UnwindSafe + RefUnwindSafe>() {}
    safe::<Handle>();
    safe::<TcpListener>();
    safe::<TcpStream>();
    safe::<OwnedReadHalf>();
    safe::<OwnedWriteHalf>();
    safe::<UdpSocket>();
    #[cfg(unix)]
    safe::<UnixStream>();
    safe::<Arc<TimerEntry>>();
}

#[test]
fn futures_go_between_threads() {
    fn both<F: Future + Send + Sync>(_: F) {}
    fn none<T>() -> Poll<T> {
        Poll::Pending
    }
    // Never called: that it compiles is the test.
    let _ = |mut stream: TcpStream, listener: TcpListener, mut bytes: Vec<u8>, mut text: String| {
        both(stream.read(&mut []));
        both(stream.read_to_end(&mut bytes));
        both(stream.read_to_string(&mut text));
        both(stream.write_all(&[]));
        both(stream.readable());
        both(stream.shutdown());
        both(listener.accept());
        both(TcpStream::connect("localhost:1"));
        both(TcpListener::bind("localhost:1"));
        none::<()>()
    };
}
