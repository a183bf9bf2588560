//! Asks for the light route at a fixed rate: `paced ADDRESS RATE SECONDS`, on sixteen connections.
//! Prints answers a second, and the 99th percentile of their times in milliseconds. A time begins
//! when the request was due, so that a slow answer counts for the requests that it
//! delays, too.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

const CONNECTIONS: u32 = 16;

/// Returns the times of the answers on one connection.
fn ask(address: &str, begin: Instant, every: Duration, count: u32) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_nodelay(true).expect("it is a socket");
    let mut answer = [0; 1024];
    let time = |number| {
        let due = begin + every * number;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        stream.write_all(b"GET / HTTP/1.1\r\nhost: judge\r\n\r\n").expect("it reads");
        let length = stream.read(&mut answer).expect("it answers");
        assert!(answer[..length].ends_with(b"\r\n\r\nlight"), "an answer is one piece");
        due.elapsed()
    };
    (0..count).map(time).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, rate, seconds] = &arguments[..] else { panic!("usage: paced ADDRESS RATE SECONDS") };
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let (rate, seconds) = (number(rate), number(seconds));
    let (begin, between) = (Instant::now(), Duration::from_secs(1) / rate);
    let connections: Vec<_> = (0..CONNECTIONS)
        .map(|first| {
            let (address, begin) = (address.clone(), begin + between * first);
            thread::spawn(move || ask(&address, begin, between * CONNECTIONS, rate * seconds / CONNECTIONS))
        })
        .collect();
    let mut times: Vec<_> = connections.into_iter().flat_map(|thread| thread.join().expect("it asks")).collect();
    times.sort_unstable();
    let answers = times.len() as f64 / begin.elapsed().as_secs_f64();
    println!("{answers} {}", times[times.len() * 99 / 100].as_secs_f64() * 1e3);
}
