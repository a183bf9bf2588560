//! Bytes end up where they belong, and nothing else is touched.
#![cfg(feature = "io-util")]

use std::future::Future;
use std::io::{self, SeekFrom};
use std::mem::MaybeUninit;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncSeekExt, AsyncWriteExt, BufReader, BufWriter, ReadBuf, duplex};

/// Polls a future that is never pending.
fn now<F: Future>(future: F) -> F::Output {
    let Poll::Ready(output) = pin!(future).poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("it is ready at once")
    };
    output
}

#[test]
fn a_buffer_counts_what_has_values() {
    let mut bytes = [MaybeUninit::uninit(); 8];
    let mut buf = ReadBuf::uninit(&mut bytes);
    assert_eq!(buf.initialize_unfilled_to(4), [0; 4]);
    buf.put_slice(b"ab");
    assert_eq!((buf.filled(), buf.initialized()), (&b"ab"[..], &b"ab\0\0"[..]));
    buf.put_slice(b"cdef");
    assert_eq!((buf.remaining(), buf.initialized().len()), (2, 6));
    buf.clear();
    assert_eq!(buf.initialized(), b"abcdef");
}

/// Returns another buffer than it was given.
struct Swapper;

impl AsyncRead for Swapper {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut other = ReadBuf::new(Vec::leak(vec![0; 64]));
        other.put_slice(&[7; 64]);
        *buf = other;
        Poll::Ready(Ok(()))
    }
}

#[test]
#[should_panic = "another buffer"]
fn a_reader_that_swaps_buffers_is_refused() {
    let _ = now(Swapper.read_to_end(&mut Vec::with_capacity(64)));
}

#[test]
fn text_that_is_none_leaves_the_string_as_it_was() {
    let mut text = "before".to_owned();
    assert!(now((&b"\xff\xff"[..]).read_to_string(&mut text)).is_err());
    assert_eq!(text, "before");
}

#[test]
fn a_move_counts_from_what_was_handed_out() {
    let mut reader = BufReader::with_capacity(4, io::Cursor::new(b"0123456789"));
    assert_eq!(now(reader.read_u8()).unwrap(), b'0');
    assert_eq!(now(reader.seek(SeekFrom::Current(4))).unwrap(), 5);
    assert_eq!(now(reader.read_u8()).unwrap(), b'5');
}

#[test]
fn a_buffered_writer_writes_in_order() {
    let mut writer = BufWriter::with_capacity(4, Vec::new());
    for piece in [&b"ab"[..], b"cd", b"efghij", b"k"] {
        now(writer.write_all(piece)).unwrap();
    }
    now(writer.flush()).unwrap();
    assert_eq!(writer.get_ref(), b"abcdefghijk");
}

#[test]
fn a_full_pipe_breaks_when_its_peer_goes() {
    let (mut near, far) = duplex(1);
    let mut write = pin!(near.write_all(b"more"));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(write.as_mut().poll(&mut cx).is_pending());
    drop(far);
    assert!(
        matches!(write.as_mut().poll(&mut cx), Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe)
    );
}

#[test]
fn a_peer_that_is_gone_breaks_the_pipe() {
    let (mut near, far) = duplex(8);
    now(near.write_all(b"lost")).unwrap();
    drop(far);
    assert_eq!(now(near.write_all(b"more")).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(now(near.read(&mut [0; 8])).unwrap(), 0);
}
