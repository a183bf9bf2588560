//! Clients that take their time, and hold connections open.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use crate::scene::Scene;

/// How many connections each attacker holds.
const CONNECTIONS: usize = 150;
const PAUSE: Duration = Duration::from_millis(20);

/// Heads that never end: a byte now and then, on each connection.
pub(crate) fn heads(scene: &Scene) {
    dribble(scene, b"GET / HTTP/1.1\r\nHost: test\r\nX: ");
}

/// Bodies that never end.
pub(crate) fn bodies(scene: &Scene) {
    dribble(scene, b"POST /upload HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
}

/// Opens connections with `opening`, and goes on a byte at a time; opens another for each that the
/// server closes.
fn dribble(scene: &Scene, opening: &[u8]) {
    let mut held: Vec<TcpStream> = Vec::new();
    while scene.goes_on() {
        while held.len() < CONNECTIONS {
            let Some(mut stream) = scene.connect() else { return };
            if stream.write_all(opening).is_ok() {
                held.push(stream);
            }
        }
        held.retain_mut(|stream| stream.write_all(b"x").is_ok());
        thread::sleep(PAUSE);
    }
}

/// Requests for large answers, of which nothing is read: the windows are small, and then full.
pub(crate) fn readers(scene: &Scene) {
    let request = b"GET /large HTTP/1.1\r\nHost: test\r\n\r\n";
    let mut held: Vec<TcpStream> = Vec::new();
    while scene.goes_on() {
        if held.len() < CONNECTIONS {
            let Some(mut stream) = scene.connect_by_a_small_window() else { return };
            // The example has no large answer: there it is many short ones.
            if stream.write_all(&request.repeat(20)).is_ok() {
                held.push(stream);
            }
            continue;
        }
        held.retain_mut(|stream| stream.write_all(request).is_ok());
        thread::sleep(5 * PAUSE);
    }
}

/// Connections that say nothing, stop in the midst of a head, or are closed half.
pub(crate) fn silent(scene: &Scene) {
    let mut held = Vec::new();
    for opening in [b"" as &[u8], b"GET / HT", b"PRI * HTTP/2.0\r\n\r\nSM"].iter().cycle() {
        if !scene.goes_on() {
            return;
        }
        if held.len() == 2 * CONNECTIONS {
            thread::sleep(PAUSE);
            continue;
        }
        let Some(mut stream) = scene.connect() else { return };
        let _ = stream.write_all(opening);
        if held.len() % 2 == 0 {
            let _ = stream.shutdown(Shutdown::Write);
        }
        held.push(stream);
    }
}
