//! TCP streams: sent bytes arrive, once and in order, in every way to write and read them.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::Shutdown;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use wsrt::task::yield_now;
use wsrt::time::timeout;
use wsrt_tests::{echo, on_two_processors, pair};

#[test]
fn what_was_peeked_at_is_still_there() {
    on_two_processors(async {
        let (mut writer, mut reader) = pair().await?;
        writer.write_all(b"peek").await?;
        let mut buffer = [0; 8];
        for _ in 0..2 {
            assert!(reader.peek(&mut buffer).await? >= 1);
            assert_eq!(buffer[0], b'p');
        }
        reader.read_exact(&mut buffer[..4]).await?;
        assert_eq!(&buffer[..4], b"peek");
        Ok(())
    });
}

#[test]
fn megabytes_arrive_in_order_through_full_buffers() {
    on_two_processors(async {
        const LENGTH: usize = 16 << 20;
        let (mut writer, mut reader) = pair().await?;
        let sent: Vec<u8> = (0..LENGTH).map(|at| (at ^ (at >> 8) ^ (at >> 16)) as u8).collect();
        let expected = sent.clone();
        let writing = wsrt::spawn(async move {
            writer.write_all(&sent).await?;
            writer.shutdown().await
        });
        let mut received = Vec::new();
        assert_eq!(reader.read_to_end(&mut received).await?, LENGTH);
        assert!(received == expected, "the bytes differ");
        writing.await??;
        Ok(())
    });
}

#[test]
fn vectored_reads_and_writes_gather_and_scatter() {
    on_two_processors(async {
        let (mut writer, mut reader) = pair().await?;
        let parts = [IoSlice::new(b"one "), IoSlice::new(b"two "), IoSlice::new(b"three")];
        assert_eq!(writer.write_vectored(&parts).await?, 13);
        let (mut first, mut second) = ([0; 6], [0; 7]);
        reader.readable().await?;
        let mut read = 0;
        while read < 13 {
            assert_eq!(read, 0, "thirteen bytes on the loopback come in one piece");
            read += reader.read_vectored(&mut [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)]).await?;
        }
        assert_eq!((&first, &second), (b"one tw", b"o three"));
        Ok(())
    });
}

#[test]
fn borrowed_halves_read_and_write_at_the_same_time() {
    on_two_processors(async {
        let (mut near, far) = pair().await?;
        let echoing = wsrt::spawn(echo(far));
        let (mut reader, mut writer) = near.split();
        let write = async {
            for number in 0..1_000_u32 {
                writer.write_all(&number.to_be_bytes()).await?;
            }
            writer.shutdown().await
        };
        let read = async {
            for number in 0..1_000_u32 {
                let mut bytes = [0; 4];
                reader.read_exact(&mut bytes).await?;
                assert_eq!(u32::from_be_bytes(bytes), number);
            }
            io::Result::Ok(())
        };
        let (written, read) = both(write, read).await;
        written?;
        read?;
        echoing.await?
    });
}

/// Polls both futures until both are done.
async fn both<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    use std::task::Poll;
    let (mut a, mut b) = (std::pin::pin!(a), std::pin::pin!(b));
    let (mut a_done, mut b_done) = (None, None);
    std::future::poll_fn(|context| {
        if a_done.is_none() {
            if let Poll::Ready(output) = a.as_mut().poll(context) {
                a_done = Some(output);
            }
        }
        if b_done.is_none() {
            if let Poll::Ready(output) = b.as_mut().poll(context) {
                b_done = Some(output);
            }
        }
        match (a_done.take(), b_done.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            (a, b) => {
                (a_done, b_done) = (a, b);
                Poll::Pending
            }
        }
    })
    .await
}

#[test]
fn owned_halves_go_to_two_tasks_and_come_back_together() {
    on_two_processors(async {
        let (near, far) = pair().await?;
        let echoing = wsrt::spawn(echo(far));
        let (mut reader, mut writer) = near.into_split();
        let writing = wsrt::spawn(async move {
            for number in 0..1_000_u32 {
                writer.write_all(&number.to_be_bytes()).await?;
            }
            io::Result::Ok(writer)
        });
        for number in 0..1_000_u32 {
            let mut bytes = [0; 4];
            reader.read_exact(&mut bytes).await?;
            assert_eq!(u32::from_be_bytes(bytes), number);
        }
        let writer = writing.await??;
        let mut near = reader.reunite(writer).expect("they belong together");
        near.shutdown().await?;
        assert_eq!(near.read(&mut [0]).await?, 0);
        echoing.await?
    });
}

#[test]
fn halves_of_different_streams_do_not_fit() {
    on_two_processors(async {
        let ((one, _far), (other, _other_far)) = (pair().await?, pair().await?);
        let (reader, _writer) = one.into_split();
        let (_reader, writer) = other.into_split();
        assert!(reader.reunite(writer).is_err());
        Ok(())
    });
}

#[test]
fn dropping_the_owned_write_half_ends_that_direction_alone() {
    on_two_processors(async {
        let (near, mut far) = pair().await?;
        let (mut reader, writer) = near.into_split();
        drop(writer);
        assert_eq!(far.read(&mut [0]).await?, 0, "the other side sees the end");
        far.write_all(b"still here").await?;
        drop(far);
        let mut text = String::new();
        reader.read_to_string(&mut text).await?;
        assert_eq!(text, "still here");
        Ok(())
    });
}

#[test]
fn closing_wakes_whoever_reads() {
    on_two_processors(async {
        let (near, mut far) = pair().await?;
        let reading = wsrt::spawn(async move { far.read(&mut [0; 8]).await });
        yield_now().await;
        near.shutdown_with(Shutdown::Write)?;
        assert_eq!(reading.await??, 0);
        Ok(())
    });
}

#[test]
fn a_read_that_is_given_up_loses_nothing() {
    on_two_processors(async {
        let (mut writer, mut reader) = pair().await?;
        let writing = wsrt::spawn(async move {
            for number in 0..2_000_u32 {
                writer.write_all(&number.to_be_bytes()).await?;
                if number % 7 == 0 {
                    yield_now().await;
                }
            }
            io::Result::Ok(())
        });
        let mut received = Vec::new();
        let mut buffer = [0; 64];
        loop {
            match timeout(Duration::from_micros(30), reader.read(&mut buffer)).await {
                Ok(count) => match count? {
                    0 => break,
                    count => received.extend_from_slice(&buffer[..count]),
                },
                Err(_given_up) => {}
            }
        }
        let expected: Vec<u8> = (0..2_000_u32).flat_map(u32::to_be_bytes).collect();
        assert_eq!(received, expected);
        writing.await?
    });
}

#[test]
fn options_are_kept() {
    on_two_processors(async {
        let (near, far) = pair().await?;
        near.set_nodelay(true)?;
        near.set_keepalive(true)?;
        near.set_ttl(42)?;
        assert!(near.nodelay()? && near.keepalive()?);
        assert_eq!(near.ttl()?, 42);
        near.set_linger(Some(Duration::from_secs(3)))?;
        assert_eq!(near.linger()?, Some(Duration::from_secs(3)));
        near.set_linger(None)?;
        assert_eq!(near.linger()?, None);
        assert_eq!(near.peer_addr()?, far.local_addr()?);
        assert!(near.take_error()?.is_none());
        Ok(())
    });
}

#[test]
fn tokios_traits_work_on_streams_and_halves() {
    on_two_processors(async {
        let (near, far) = pair().await?;
        let (reader, mut writer) = near.into_split();
        let (far_reader, mut far_writer) = tokio::io::split(far);
        let serving = wsrt::spawn(async move {
            let mut lines = BufReader::new(far_reader).lines();
            while let Some(line) = lines.next_line().await? {
                AsyncWriteExt::write_all(&mut far_writer, format!("{}\n", line.to_uppercase()).as_bytes()).await?;
            }
            AsyncWriteExt::shutdown(&mut far_writer).await
        });
        AsyncWriteExt::write_all(&mut writer, b"some\nlines\n").await?;
        AsyncWriteExt::shutdown(&mut writer).await?;
        let mut answer = String::new();
        AsyncReadExt::read_to_string(&mut BufReader::new(reader), &mut answer).await?;
        assert_eq!(answer, "SOME\nLINES\n");
        serving.await?
    });
}

#[test]
fn a_connection_that_is_reset_is_an_error() {
    on_two_processors(async {
        let (near, mut far) = pair().await?;
        near.set_linger(Some(Duration::ZERO))?;
        drop(near);
        let error = far.read(&mut [0]).await.expect_err("the other side has reset the connection");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        Ok(())
    });
}
