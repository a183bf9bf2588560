//! Heads that are larger than they should be, or become so.

use std::io::{Read, Write};

use crate::frames::{END_HEADERS, END_STREAM, HEADERS, OPENING, push, push_length, request};
use crate::scene::Scene;

/// Ten thousand headers, and one of 10 MB, in turn.
pub(crate) fn heads(scene: &Scene) {
    const START: &[u8] = b"GET / HTTP/1.1\r\nHost: test\r\n";
    let many = [START, &b"X: y\r\n".repeat(10_000)].concat();
    let large = [START, b"X: ", &b"y".repeat(10 << 20)].concat();
    for head in [many, large].iter().cycle() {
        let Some(mut stream) = scene.connect() else { return };
        // The server stops reading at its limit.
        let _ = stream.write_all(head);
        let _ = stream.read(&mut [0; 1000]);
    }
}

/// A header of 4 kB put into the connection's table once, and then named by one byte each, many
/// thousand times in a head of 16 kB.
pub(crate) fn compressed_heads(scene: &Scene) {
    const VALUE: usize = 4000;
    // With the first entry of the dynamic table, whose number is 62.
    const NAMED: u8 = 0x80 | 62;
    let mut first = request("GET", "/");
    first.extend_from_slice(&[0x40, 1, b'x']);
    push_length(&mut first, VALUE);
    first.extend_from_slice(&[b'y'; VALUE]);
    let mut further = request("GET", "/");
    further.resize(16_000, NAMED);
    while let Some(mut stream) = scene.connect() {
        let mut frames = OPENING.to_vec();
        push(&mut frames, HEADERS, END_HEADERS | END_STREAM, 1, &first);
        for index in 1..200 {
            push(&mut frames, HEADERS, END_HEADERS | END_STREAM, 2 * index + 1, &further);
        }
        let _ = stream.write_all(&frames);
        let _ = stream.read(&mut [0; 1000]);
    }
}
