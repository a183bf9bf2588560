//! WebSocket frames that lie, stall or never end.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use wsrt_ecosystem_testing::{LIMIT, WITHOUT_TOKIO, example};

use crate::scene::{Victim, connect, insist, withstand};

/// The longest message that the server takes.
const LONGEST: usize = 128 << 10;

const FINAL: u8 = 0x80;
const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
/// Of the second byte: the bytes are masked, as a client's have to be.
const MASKED: u8 = 0x80;

/// The head of a frame that has, as it says, so many bytes, masked with zeros.
fn head(first: u8, length: u64) -> Vec<u8> {
    let mut head = vec![first];
    match length {
        0..126 => head.push(MASKED | length as u8),
        126..0x1_0000 => {
            head.push(MASKED | 126);
            head.extend_from_slice(&(length as u16).to_be_bytes());
        }
        _ => {
            head.push(MASKED | 127);
            head.extend_from_slice(&length.to_be_bytes());
        }
    }
    head.extend_from_slice(&[0; 4]);
    head
}

fn frame(first: u8, bytes: &[u8]) -> Vec<u8> {
    [head(first, bytes.len() as u64), bytes.into()].concat()
}

/// Shakes hands on a connection.
fn shake_hands(mut stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    let hello = "GET / HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(hello.as_bytes())?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        answer.push(byte[0]);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&answer));
    Ok(stream)
}

/// An attacker's connection.
fn intrude(address: SocketAddr) -> TcpStream {
    insist(|| shake_hands(connect(address)))
}

/// Says something, and hears the same.
fn ask(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(&frame(FINAL | TEXT, b"hello"))?;
    let mut answer = [0; 7];
    stream.read_exact(&mut answer)?;
    assert_eq!(&answer, b"\x81\x05hello");
    Ok(())
}

/// Attacks while a client asks on the connection that it keeps, and another connects each time.
fn survive(what: &str, attack: impl Fn(SocketAddr) -> Vec<TcpStream> + Sync) {
    let program = example(WITHOUT_TOKIO, "websocket_server");
    let start = || {
        let mut command = program.command();
        command.arg("127.0.0.1:0");
        Victim::start(command)
    };
    let patient = |address| {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("sockets have options");
        shake_hands(stream)
    };
    withstand(
        what,
        start,
        &[
            &move |address| {
                let mut kept = None;
                Box::new(move || {
                    let stream = match &mut kept {
                        Some(stream) => stream,
                        none => none.insert(patient(address)?),
                    };
                    ask(stream).inspect_err(|_| kept = None)
                })
            },
            &move |address| Box::new(move || ask(&mut patient(address)?)),
        ],
        attack,
    );
}

/// Says each of these on its own connection, and pauses.
fn say_each(address: SocketAddr, words: &[Vec<u8>], pause: Duration) -> Vec<TcpStream> {
    let say = |said: &Vec<u8>| {
        let mut stream = intrude(address);
        let _ = stream.write_all(said);
        stream
    };
    let streams = words.iter().map(say).collect();
    thread::sleep(pause);
    streams
}

#[test]
fn frames_that_lie_delay_no_others() {
    let lies = [
        // The greatest length, one below zero if it is signed, a terabyte, and one just too long.
        head(FINAL | TEXT, u64::MAX),
        head(FINAL | TEXT, 1 << 63),
        head(FINAL | TEXT, 1 << 40),
        frame(FINAL | TEXT, &vec![b'x'; LONGEST + 1]),
        // No mask, a kind that there is not, a reserved bit, a continuation of nothing.
        b"\x81\x05hello".to_vec(),
        frame(FINAL | 3, b"x"),
        frame(FINAL | 0x40 | TEXT, b"x"),
        frame(FINAL | CONTINUATION, b"x"),
        // A long ping, one in pieces, a text that is none, and a close with half a code.
        head(FINAL | PING, 1000),
        frame(PING, b"x"),
        frame(FINAL | TEXT, b"\xff\xfe\xfd"),
        frame(FINAL | CLOSE, b"x"),
    ];
    survive("frames that lie", |address| say_each(address, &lies, Duration::from_millis(10)));
}

#[test]
fn promises_that_are_not_kept_delay_no_others() {
    let long = head(FINAL | TEXT, LONGEST as u64);
    let beginnings = [long.clone(), long[..1].into(), long[..3].into(), frame(TEXT, b"the first of many")];
    survive("frames that stall", |address| say_each(address, &beginnings, Duration::from_millis(5)));
}

#[test]
fn messages_without_an_end_delay_no_others() {
    let pieces = frame(CONTINUATION, &[b'x'; 1000]).repeat(100);
    survive("messages without an end", |address| {
        let mut stream = intrude(address);
        let mut sent = stream.write_all(&frame(TEXT, b"x"));
        // The server closes the connection within the first of them.
        for _ in 0..100 {
            if sent.is_err() {
                break;
            }
            sent = stream.write_all(&pieces);
        }
        vec![stream]
    });
}

#[test]
fn a_flood_of_pings_delays_no_others() {
    // Its pongs are not read: the server stops reading when nothing more can be written.
    let flood = frame(FINAL | PING, b"annoying").repeat(10_000);
    survive("a flood of pings", |address| {
        let mut stream = intrude(address);
        for _ in 0..100 {
            let _ = stream.write(&flood);
        }
        vec![stream]
    });
}

#[test]
fn messages_whose_echo_is_not_read_delay_no_others() {
    let flood = frame(FINAL | TEXT, &vec![b'x'; LONGEST]);
    survive("messages whose answers are not read", |address| {
        let mut stream = intrude(address);
        for _ in 0..100 {
            if stream.write(&flood).is_err() {
                break;
            }
        }
        vec![stream]
    });
}
