//! Streams that are polled by hand: when the copy flushes and reads, and errors.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll};

use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};
use wsrt::io::{AsyncRead, AsyncWrite, ReadBuf, copy_bidirectional, empty, join, sink};
use wsrt::runtime::Builder;
use wsrt_tests::within_a_minute;

/// Answers each read with the next of its pieces, an empty one being an end, as a terminal does
/// that goes on behind it.
struct Terminal(std::vec::IntoIter<&'static [u8]>);

impl AsyncRead for Terminal {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        target.put_slice(self.0.next().expect("nobody reads on"));
        Poll::Ready(Ok(()))
    }
}

/// Keeps the written bytes, and flushes them when it is allowed to.
#[derive(Default)]
struct FlushesLater {
    written: Vec<u8>,
    may_flush: Arc<AtomicBool>,
    is_shut_down: bool,
}

impl AsyncWrite for FlushesLater {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        self.written.extend_from_slice(source);
        Poll::Ready(Ok(source.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.may_flush.load(SeqCst) { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.is_shut_down = true;
        Poll::Ready(Ok(()))
    }
}

#[test]
fn behind_an_end_nothing_is_read_while_the_flush_waits() {
    let terminal = Terminal(vec![&b"line"[..], b"", b"more"].into_iter());
    let (mut a, mut b) = (join(terminal, sink()), join(empty(), FlushesLater::default()));
    let may_flush = Arc::clone(&b.writer().may_flush);
    let mut copying = tokio_test::task::spawn(copy_bidirectional(&mut a, &mut b));
    assert_pending!(copying.poll());
    assert_pending!(copying.poll(), "whatever the task was woken for");
    may_flush.store(true, SeqCst);
    assert_eq!(assert_ready_ok!(copying.poll()), (4, 0));
    drop(copying);
    assert_eq!((&b.writer().written[..], b.writer().is_shut_down), (&b"line"[..], true));
    assert_eq!(a.reader().0.as_slice(), [b"more"]);
}

#[test]
fn an_error_of_either_stream_is_returned_unchanged() {
    let refused = || io::Error::from_raw_os_error(5);
    let mock = tokio_test::io::Builder::new;
    let of_reading = (mock().read(b"question").read_error(refused()).build(), mock().write(b"question").build());
    let of_writing = (mock().read(b"question").build(), mock().write_error(refused()).build());
    for (mut a, mut b) in [of_reading, of_writing] {
        let mut copying = tokio_test::task::spawn(copy_bidirectional(&mut a, &mut b));
        assert_eq!(assert_ready_err!(copying.poll()).raw_os_error(), refused().raw_os_error());
    }
}

#[test]
fn streams_that_are_always_ready_leave_others_their_turn() {
    within_a_minute(|| {
        Builder::new_current_thread().build().expect("a runtime").block_on(async {
            let endless = wsrt::spawn(async {
                let (mut a, mut b) = (Endless, Endless);
                copy_bidirectional(&mut a, &mut b).await
            });
            for _ in 0..10 {
                wsrt::task::yield_now().await;
            }
            endless.abort();
            assert!(endless.await.expect_err("it has no end").is_cancelled());
        });
    });
}

/// Can be read and written for ever.
struct Endless;

impl AsyncRead for Endless {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, target: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let count = target.remaining();
        target.initialize_unfilled();
        target.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Endless {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(source.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
