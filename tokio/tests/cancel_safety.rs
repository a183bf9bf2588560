//! The claims of the sections *Cancel safety* hold: each operation is dropped at each of its waits,
//! and then it is checked that nothing is lost or doubled.
//!
//! A test names the methods that it checks in its documentation.
#![cfg(all(feature = "io-util", feature = "rt"))]

use std::fs;
use std::io::IoSlice;
use std::path::Path;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, BufWriter, DuplexStream, Lines, Split, duplex,
};
use tokio::runtime::Builder;
use tokio::task::JoinHandle;
use wsrt::test::cancel_at_each_await;

const TEXT: &str = "a text\nwhose lines\nare longer\nthan the buffers";
/// Far fewer than the bytes of the text.
const ROOM: usize = 4;

type Reader = BufReader<DuplexStream>;

fn run(test: impl AsyncFnOnce()) {
    Builder::new_current_thread().build().expect("a runtime").block_on(test());
}

/// A reader to which a peer sends the text, a few bytes at a time.
fn text() -> Reader {
    let (ours, mut theirs) = duplex(ROOM);
    drop(tokio::spawn(async move { theirs.write_all(TEXT.as_bytes()).await }));
    BufReader::with_capacity(3, ours)
}

/// Reads the text by many calls, and continues after each cancellation.
async fn reads(read: impl AsyncFn(&mut Reader, &mut Vec<u8>) -> usize) {
    type State = (Reader, Vec<u8>);
    let read_rest = async |(reader, bytes): &mut State| while read(reader, bytes).await > 0 {};
    let check = async |mut state: State, _| {
        read_rest(&mut state).await;
        assert_eq!(state.1, TEXT.as_bytes());
    };
    cancel_at_each_await(async || (text(), Vec::new()), async |state: &mut State| read_rest(state).await, check).await;
}

/// Of `read`, `read_buf`, `fill_buf` and `read_until`.
#[test]
fn no_byte_that_is_read_is_lost() {
    run(async || {
        reads(async |reader, bytes| {
            let mut buffer = [0; 2];
            let count = reader.read(&mut buffer).await.expect("it is open");
            bytes.extend(&buffer[..count]);
            count
        })
        .await;
        reads(async |reader, bytes| reader.read_buf(bytes).await.expect("it is open")).await;
        reads(async |reader, bytes| {
            let first = reader.fill_buf().await.expect("it is open").first().copied();
            bytes.extend(first);
            let count = usize::from(first.is_some());
            reader.consume(count);
            count
        })
        .await;
        reads(async |reader, bytes| reader.read_until(b'\n', bytes).await.expect("it is open")).await;
    });
}

/// Of `read_line`, which loses the bytes that it has read: the next ones follow.
#[test]
fn a_line_that_is_dropped_loses_its_beginning() {
    type State = (Reader, String);
    run(async || {
        let operation = async |(reader, line): &mut State| reader.read_line(line).await.expect("it is open");
        let check = async |(mut reader, line): State, output: Option<usize>| {
            assert_eq!(line, if output.is_some() { "a text\n" } else { "" });
            let mut rest = String::new();
            reader.read_to_string(&mut rest).await.expect("it is open");
            assert!(TEXT.ends_with(&rest), "{rest}");
        };
        let waits = cancel_at_each_await(async || (text(), String::new()), operation, check).await;
        assert!(waits > 1, "some bytes come before the others");
    });
}

/// Of `next_line` and `next_segment`.
#[test]
fn no_part_of_a_line_is_lost() {
    type State<R, T> = (R, Vec<T>);
    async fn parts<R, T: AsRef<[u8]>>(make: impl AsyncFn() -> R, next: impl AsyncFn(&mut R) -> Option<T>) {
        let read_rest = async |(reader, parts): &mut State<R, T>| {
            while let Some(part) = next(reader).await {
                parts.push(part);
            }
        };
        let check = async |mut state: State<R, T>, _| {
            read_rest(&mut state).await;
            assert!(state.1.iter().map(AsRef::as_ref).eq(TEXT.lines().map(str::as_bytes)));
        };
        let operation = async |state: &mut State<R, T>| read_rest(state).await;
        cancel_at_each_await(async || (make().await, Vec::new()), operation, check).await;
    }
    run(async || {
        let next_line = async |lines: &mut Lines<Reader>| lines.next_line().await.expect("it is open");
        parts(async || text().lines(), next_line).await;
        let next_segment = async |segments: &mut Split<Reader>| segments.next_segment().await.expect("it is open");
        parts(async || text().split(b'\n'), next_segment).await;
    });
}

/// A stream, and a peer that reads it to its end.
fn reader_apart() -> (DuplexStream, JoinHandle<Vec<u8>>) {
    let (ours, mut theirs) = duplex(ROOM);
    let received = tokio::spawn(async move {
        let mut bytes = Vec::new();
        theirs.read_to_end(&mut bytes).await.expect("it is open");
        bytes
    });
    (ours, received)
}

/// Writes the text by many calls. The peer receives each byte that is no longer in the rest.
async fn writes(write: impl AsyncFn(&mut DuplexStream, &mut &'static [u8])) {
    type State = ((DuplexStream, JoinHandle<Vec<u8>>), &'static [u8]);
    let operation = async |((stream, _), rest): &mut State| {
        while !rest.is_empty() {
            write(stream, rest).await;
        }
    };
    let check = async |((stream, received), rest): State, _| {
        drop(stream);
        assert_eq!(received.await.expect("no panic"), &TEXT.as_bytes()[..TEXT.len() - rest.len()]);
    };
    cancel_at_each_await(async || (reader_apart(), TEXT.as_bytes()), operation, check).await;
}

/// Of `write`, `write_vectored`, `write_buf` and `write_all_buf`.
#[test]
fn bytes_that_were_not_accepted_are_not_written() {
    run(async || {
        writes(async |stream, rest| *rest = &rest[stream.write(rest).await.expect("it is open")..]).await;
        writes(async |stream, rest| {
            let slices = [IoSlice::new(&rest[..1]), IoSlice::new(&rest[1..])];
            *rest = &rest[stream.write_vectored(&slices).await.expect("it is open")..];
        })
        .await;
        writes(async |stream, rest| _ = stream.write_buf(rest).await.expect("it is open")).await;
        writes(async |stream, rest| stream.write_all_buf(rest).await.expect("it is open")).await;
    });
}

/// Of `flush`: what was not flushed is still in the buffer.
#[test]
fn a_flush_that_is_dropped_loses_and_doubles_nothing() {
    type State = (BufWriter<DuplexStream>, JoinHandle<Vec<u8>>);
    run(async || {
        let make = async || {
            let (stream, received) = reader_apart();
            let mut writer = BufWriter::new(stream);
            writer.write_all(TEXT.as_bytes()).await.expect("it has room");
            (writer, received)
        };
        let check = async |(mut writer, received): State, _| {
            writer.flush().await.expect("it is open");
            drop(writer);
            assert_eq!(received.await.expect("no panic"), TEXT.as_bytes());
        };
        cancel_at_each_await(make, async |(writer, _): &mut State| writer.flush().await, check).await;
    });
}

/// Calls `found` with the method below each section in the files of `folder`.
fn find_sections(folder: &Path, found: &mut impl FnMut(&str)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            find_sections(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        for section in text.split("# Cancel safety").skip(1) {
            let (_, from_name) = section.split_once("fn ").expect("a method");
            found(from_name.split(['<', '(']).next().expect("a name"));
        }
    }
}

#[test]
fn each_section_has_its_test() {
    let (mut count, tests) = (0, include_str!("cancel_safety.rs"));
    find_sections(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |name: &str| {
        count += 1;
        assert!(
            tests.contains(&format!("`{name}`")),
            "no test here names `{name}`, which has a section *Cancel safety*"
        );
    });
    assert!(count > 10, "the sources were not understood");
}
