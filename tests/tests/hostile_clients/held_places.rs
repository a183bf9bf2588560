//! Clients that break no limit but those for waits hold no place for good, and not the server's
//! end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use wsrt::runtime::Drained;
use wsrt::time::Instant;
use wsrt_tests::{LIMIT, within_a_minute};

use crate::frames::{END_HEADERS, END_STREAM, HEADERS, SETTINGS, WINDOW_UPDATE, request};
use crate::http2_client::Client;
use crate::limits::{Serving, ask, connect, read_hello, start};

const PLACES: usize = 2;
const SHORT: Duration = Duration::from_millis(200);
/// Shorter than the limit, so that a client which moves a byte each time is never silent for it.
const PAUSE: Duration = Duration::from_millis(20);
const GOAWAY: u8 = 7;

/// Has `attack` take all places, and then a client ask for its answer. In the end the server has
/// closed all connections of the attack.
fn take_all_places(attack: fn(TcpStream), configure: fn(Serving) -> Serving) {
    within_a_minute(move || {
        let (_runtime, address, _reports) = start(|serving| configure(serving.with_max_connections(PLACES)));
        // In line before the good one.
        let streams: Vec<_> = (0..PLACES).map(|_| connect(address)).collect();
        let mut good = connect(address);
        let attackers: Vec<_> = streams.into_iter().map(|stream| thread::spawn(move || attack(stream))).collect();
        ask(&mut good);
        read_hello(&mut good);
        drop(good);
        for attacker in attackers {
            attacker.join().expect("the server closes its connection");
        }
    });
}

fn slow_body(slow: TcpStream) {
    send_slowly(slow, "/");
}

/// Sends to a service that skips the errors of a body, and asks for more.
fn slow_body_skipped(slow: TcpStream) {
    send_slowly(slow, "/careless");
}

/// Ends when the server has closed the connection, which a drain may do before the first byte.
fn send_slowly(mut slow: TcpStream, path: &str) {
    let _ = write!(slow, "POST {path} HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
    while slow.write_all(b"x").is_ok() {
        thread::sleep(PAUSE);
    }
}

/// A body in HTTP/2, a byte at a time.
fn slow_data(stream: TcpStream) {
    let mut slow = Client::over(stream);
    slow.send(HEADERS, END_HEADERS, 1, &request("POST", "/"));
    // An error of the body is an error of the service here, which resets the stream; the connection
    // is idle then.
    while slow.send(crate::frames::DATA, 0, 1, b"x") {
        thread::sleep(PAUSE);
    }
}

/// Makes one request, and then nothing but answers to pings.
fn silent_but_alive(stream: TcpStream) {
    let mut silent = Client::over(stream);
    silent.send(HEADERS, END_HEADERS | END_STREAM, 1, &request("GET", "/"));
    let mut was_told = false;
    while let Some(frame) = silent.next_frame() {
        was_told |= frame.kind == GOAWAY;
    }
    assert!(was_told, "a connection without requests ends by GOAWAY");
}

/// Makes one request, and answers no ping: not the one that comes with the GOAWAY either.
fn silent(stream: TcpStream) {
    let mut silent = Client::over(stream);
    silent.send(HEADERS, END_HEADERS | END_STREAM, 1, &request("GET", "/"));
    let _ = silent.0.read_to_end(&mut Vec::new());
}

/// Large answers, and windows of zero.
fn no_windows(stream: TcpStream) {
    let mut deaf = Client::over(stream);
    deaf.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    for stream in 0..20 {
        deaf.send(HEADERS, END_HEADERS | END_STREAM, 2 * stream + 1, &request("GET", "/large"));
    }
    let _ = deaf.0.read_to_end(&mut Vec::new());
}

/// Large answers, and windows that grow by a byte at a time.
fn narrow_windows(stream: TcpStream) {
    let mut deaf = Client::over(stream);
    deaf.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    deaf.send(HEADERS, END_HEADERS | END_STREAM, 1, &request("GET", "/large"));
    while deaf.send(WINDOW_UPDATE, 0, 1, &1_u32.to_be_bytes()) {
        // The frame of that byte has ten: the least rate is 240 a second.
        thread::sleep(5 * PAUSE);
    }
}

#[test]
fn slow_bodies_hold_no_place_for_good() {
    take_all_places(slow_body, |serving| serving.with_body_timeout(SHORT));
}

#[test]
fn slow_bodies_whose_errors_are_skipped_hold_no_place() {
    take_all_places(slow_body_skipped, |serving| serving.with_body_timeout(SHORT));
}

#[test]
fn slow_bodies_of_http2_hold_no_place_for_good() {
    // The client answers no GOAWAY either.
    take_all_places(slow_data, |serving| {
        serving.with_body_timeout(SHORT).with_idle_timeout(SHORT).with_write_timeout(SHORT)
    });
}

#[test]
fn clients_that_only_answer_pings_hold_no_place_for_good() {
    take_all_places(silent_but_alive, |serving| {
        serving.with_idle_timeout(SHORT).configure_http(|http| {
            http.http2().keep_alive_interval(SHORT / 4);
        })
    });
}

#[test]
fn clients_that_answer_no_goaway_hold_no_place_for_good() {
    take_all_places(silent, |serving| serving.with_idle_timeout(SHORT).with_write_timeout(SHORT));
}

#[test]
fn windows_of_zero_hold_no_place_for_good() {
    take_all_places(no_windows, |serving| serving.with_write_timeout(SHORT));
}

#[test]
fn windows_that_grow_by_bytes_hold_no_place_for_good() {
    // The answer's one frame is with HTTP/2 once a byte of it may go: no request is open then.
    take_all_places(narrow_windows, |serving| serving.with_write_timeout(SHORT).with_idle_timeout(SHORT));
}

/// The error is the one of the limit, not one that the end of the connection happens to bring.
#[test]
fn a_client_without_windows_is_named_in_the_error() {
    within_a_minute(|| {
        let (_runtime, address, reports) = start(|serving| serving.with_write_timeout(SHORT));
        no_windows(connect(address));
        let cause = reports.recv_timeout(LIMIT);
        assert_eq!(cause.as_deref(), Ok("the client took too little of its answers for too long"));
    });
}

#[test]
fn a_slow_body_is_named_in_the_error() {
    within_a_minute(|| {
        let (_runtime, address, reports) = start(|serving| serving.with_body_timeout(SHORT));
        slow_body(connect(address));
        let cause = reports.recv_timeout(LIMIT);
        assert_eq!(cause.as_deref(), Ok("the client sent too little of its request's body for too long"));
    });
}

#[test]
fn clients_without_an_end_do_not_outlast_a_drain() {
    within_a_minute(|| {
        let (runtime, address, _reports) = start(|serving| {
            let serving = serving.with_body_timeout(None).with_write_timeout(None).with_idle_timeout(None);
            serving.with_shutdown_timeout(SHORT)
        });
        let attackers = [slow_body as fn(TcpStream), slow_data, no_windows, narrow_windows].map(|attack| {
            let stream = connect(address);
            thread::spawn(move || attack(stream))
        });
        // The accept loop and four connections, and the streams of HTTP/2.
        while runtime.metrics().num_alive_tasks() < 1 + attackers.len() {
            thread::yield_now();
        }
        let handle = runtime.handle();
        let drained: Drained = handle.block_on(handle.drain(Instant::now() + LIMIT));
        assert!(drained.is_complete(), "{drained}");
        for attacker in attackers {
            attacker.join().expect("the server closes its connection");
        }
        assert!(TcpStream::connect(address).is_err());
    });
}
