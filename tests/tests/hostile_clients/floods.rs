//! Connections in great numbers.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use socket2::SockRef;

use crate::scene::Scene;

/// Of each attacker; there are two.
const CONNECTS_A_SECOND: u32 = 5000;
/// How many connections are made without a pause.
const BURST: u32 = 50;

/// Connections that are reset in the midst of a request, as fast as they can be made.
pub(crate) fn resets(scene: &Scene) {
    while let Some(mut stream) = scene.connect() {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost:");
        let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
    }
}

/// Ten thousand connections a second, which are reset at once: an orderly end would keep the ports
/// of this machine for a minute.
pub(crate) fn connects(scene: &Scene) {
    let (began, mut count) = (Instant::now(), 0);
    while let Some(stream) = scene.connect() {
        let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        count += 1;
        let due = Duration::from_secs(1) / CONNECTS_A_SECOND * count;
        if count % BURST == 0 {
            thread::sleep(due.saturating_sub(began.elapsed()));
        }
    }
    println!("{:.0} connects a second", f64::from(count) / began.elapsed().as_secs_f64());
}
