//! As much of HTTP/2 as an attacker needs: frames, written by hand.

/// The client's preface, and its settings: all defaults.
pub(crate) const OPENING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// Appends a frame.
pub(crate) fn push(frames: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    frames.extend_from_slice(&(payload.len() as u32).to_be_bytes()[1..]);
    frames.extend_from_slice(&[kind, flags]);
    frames.extend_from_slice(&stream.to_be_bytes());
    frames.extend_from_slice(payload);
}

/// A block of headers: a request for `path` with the given method, `GET` or `POST`.
pub(crate) fn request(method: &str, path: &str) -> Vec<u8> {
    // Of the static table: `:method`, `:scheme: http`; and `:authority: test`, spelled out.
    let mut block = vec![if method == "GET" { 0x82 } else { 0x83 }, 0x86, 0x01, 4];
    block.extend_from_slice(b"test");
    block.extend_from_slice(&[0x04, path.len() as u8]);
    block.extend_from_slice(path.as_bytes());
    block
}

/// Appends the number of a header's bytes, as the format has it: seven bits, and more if need be.
pub(crate) fn push_length(block: &mut Vec<u8>, length: usize) {
    if length < 127 {
        block.push(length as u8);
        return;
    }
    block.push(127);
    let mut rest = length - 127;
    while rest >= 128 {
        block.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    block.push(rest as u8);
}

#[test]
fn a_request_is_answered_by_the_server() {
    use crate::victim::Victim;
    use std::io::{Read, Write};
    let victim = Victim::serve("frames::a_request_is_answered_by_the_server");
    let mut stream = std::net::TcpStream::connect(victim.address).expect("it listens");
    stream.set_read_timeout(Some(wsrt_tests::LIMIT)).expect("sockets have timeouts");
    let mut frames = OPENING.to_vec();
    push(&mut frames, HEADERS, END_HEADERS | END_STREAM, 1, &request("GET", "/"));
    stream.write_all(&frames).expect("it reads");
    let mut read = Vec::new();
    while !read.windows(5).any(|bytes| bytes == b"hello") {
        let mut buffer = [0; 1000];
        let count = stream.read(&mut buffer).expect("it answers");
        assert_ne!(count, 0, "closed after {read:?}");
        read.extend_from_slice(&buffer[..count]);
    }
}
