//! Streams in memory, and copies between streams.

use wsrt::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, SimplexStream, copy,
    copy_bidirectional, copy_bidirectional_with_sizes, copy_buf, duplex, join,
};
use wsrt::task::JoinHandle;
use wsrt::test::cancel_at_each_await;

use crate::{later, run};

const TEXT: &[u8] = b"a text that is longer than the buffers are";
/// Far fewer than the bytes of the text.
const ROOM: usize = 8;

/// Writes the text to a stream, and ends it.
fn write_text(mut stream: impl AsyncWrite + Unpin + Send + 'static) -> JoinHandle<()> {
    wsrt::spawn(async move {
        for piece in TEXT.chunks(5) {
            later().await;
            stream.write_all(piece).await.expect("the reader is there");
        }
        stream.shutdown().await.expect("the reader is there");
    })
}

/// Reads a stream to its end.
fn read_all(mut stream: impl AsyncRead + Unpin + Send + 'static) -> JoinHandle<Vec<u8>> {
    wsrt::spawn(async move {
        let (mut bytes, mut buffer) = (Vec::new(), [0; 3]);
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            bytes.extend(&buffer[..count]);
            later().await;
        }
        bytes
    })
}

/// Reads the text of a peer, and continues after each cancellation.
async fn reads<S: AsyncRead + Unpin>(connect: impl AsyncFn() -> S) {
    async fn read<S: AsyncRead + Unpin>((stream, bytes): &mut (S, Vec<u8>)) {
        let mut buffer = [0; 3];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            bytes.extend(&buffer[..count]);
        }
    }
    let make = async || (connect().await, Vec::new());
    let check = async |mut state: (S, Vec<u8>), _| {
        read(&mut state).await;
        assert_eq!(state.1, TEXT);
    };
    cancel_at_each_await(make, async |state: &mut (S, Vec<u8>)| read(state).await, check).await;
}

/// Writes the text to a peer, which gets each byte that was accepted, and no other one.
async fn writes<S: AsyncWrite + Unpin>(connect: impl AsyncFn() -> (S, JoinHandle<Vec<u8>>)) {
    type State<S> = ((S, JoinHandle<Vec<u8>>), usize);
    let make = async || (connect().await, 0);
    let operation = async |((stream, _), accepted): &mut State<S>| {
        while *accepted < TEXT.len() {
            *accepted += stream.write(&TEXT[*accepted..]).await.expect("the reader is there");
        }
    };
    let check = async |((mut stream, received), accepted): State<S>, _| {
        stream.shutdown().await.expect("the reader is there");
        drop(stream);
        assert_eq!(received.await.expect("no panic"), TEXT[..accepted]);
    };
    cancel_at_each_await(make, operation, check).await;
}

/// Of `DuplexStream`, `SimplexStream` and `Join`.
#[test]
fn streams_in_memory_lose_no_bytes() {
    run(async || {
        let ends = || {
            let (ours, theirs) = duplex(ROOM);
            drop(write_text(theirs));
            ours
        };
        reads(async || ends()).await;
        reads(async || join(ends(), wsrt::io::sink())).await;
        reads(async || {
            let (reader, writer) = wsrt::io::simplex(ROOM);
            drop(write_text(writer));
            reader
        })
        .await;
        let reader_apart = || {
            let (ours, theirs): (DuplexStream, DuplexStream) = duplex(ROOM);
            (ours, read_all(theirs))
        };
        writes(async || reader_apart()).await;
        writes(async || {
            let (ours, received) = reader_apart();
            (join(wsrt::io::empty(), ours), received)
        })
        .await;
        writes(async || {
            let (reader, writer) = wsrt::io::simplex(ROOM);
            (writer, read_all(reader))
        })
        .await;
        let _whole: SimplexStream = SimplexStream::new_unsplit(ROOM);
    });
}

/// Of `io/copy::copy_buf`: what was not written is in the reader's buffer.
#[test]
fn a_buffered_copy_loses_no_bytes() {
    run(async || {
        type State = (BufReader<DuplexStream>, DuplexStream, JoinHandle<Vec<u8>>);
        let make = async || {
            let ((ours, theirs), (to, from)) = (duplex(ROOM), duplex(ROOM));
            drop(write_text(theirs));
            (BufReader::with_capacity(4, ours), to, read_all(from))
        };
        let operation = async |(reader, writer, _): &mut State| copy_buf(reader, writer).await;
        let check = async |(mut reader, mut writer, received): State, _| {
            copy_buf(&mut reader, &mut writer).await.expect("both are there");
            assert!(reader.fill_buf().await.expect("it has ended").is_empty());
            drop(writer);
            assert_eq!(received.await.expect("no panic"), TEXT);
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// Of `io/copy::copy`, `copy_bidirectional/mod::copy_bidirectional` and
/// `copy_bidirectional/mod::copy_bidirectional_with_sizes`, which are not cancel safe: what has
/// arrived is a beginning of the text, and the next bytes of the reader come later in it.
#[test]
fn a_copy_that_is_dropped_loses_what_is_between() {
    type State = (DuplexStream, DuplexStream, JoinHandle<Vec<u8>>);
    async fn loses<T>(operation: impl AsyncFn(&mut DuplexStream, &mut DuplexStream) -> T) {
        let make = async || {
            let ((ours, theirs), (to, from)) = (duplex(ROOM), duplex(ROOM));
            drop(write_text(theirs));
            (ours, to, read_all(from))
        };
        let check = async |(mut reader, writer, received): State, _| {
            drop(writer);
            let received = received.await.expect("no panic");
            let mut rest = Vec::new();
            reader.read_to_end(&mut rest).await.expect("it is there");
            assert!(TEXT.starts_with(&received) && TEXT.ends_with(&rest));
            assert!(received.len() + rest.len() <= TEXT.len());
        };
        let operation = async |(reader, writer, _): &mut State| drop(operation(reader, writer).await);
        cancel_at_each_await(make, operation, check).await;
    }
    run(async || {
        loses(async |reader, writer| copy(reader, writer).await).await;
        // The other direction ends at once.
        loses(async |reader, writer| {
            let mut writer = join(wsrt::io::empty(), writer);
            copy_bidirectional(reader, &mut writer).await
        })
        .await;
        loses(async |reader, writer| {
            let mut writer = join(wsrt::io::empty(), writer);
            copy_bidirectional_with_sizes(reader, &mut writer, 4, 4).await
        })
        .await;
    });
}
