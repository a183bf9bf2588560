//! `load ADDRESS CONNECTIONS SECONDS`: a request outstanding on each connection. Prints requests a
//! second, and the median and 99th percentile in milliseconds of the answers that did not block.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: load\r\n\r\n";

struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
    sent: Instant,
}

impl Connection {
    fn ask(&mut self) -> io::Result<()> {
        self.answer.clear();
        self.sent = Instant::now();
        // A request is far smaller than the socket's buffer, which is empty here.
        self.stream.write_all(REQUEST)
    }

    /// Returns whether the handler blocked, once the whole answer is there.
    fn take_answer(&mut self) -> io::Result<Option<bool>> {
        let mut piece = [0; 4096];
        loop {
            match self.stream.read(&mut piece) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.answer.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        let text = str::from_utf8(&self.answer).map_err(io::Error::other)?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(None) };
        if !head.starts_with("HTTP/1.1 200") {
            return Err(io::Error::other(format!("answered {head:?}")));
        }
        Ok((body == "hello").then(|| head.contains("x-blocked: 1")))
    }
}

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("usage: load ADDRESS CONNECTIONS SECONDS");
    let address: SocketAddr = word().parse().expect("an address");
    let connections: usize = word().parse().expect("a number of connections");
    let seconds: f64 = word().parse().expect("a number of seconds");

    let mut poll = Poll::new()?;
    let mut all = connect(&poll, address, connections)?;
    let mut waits = Vec::new();
    let mut answers = 0_u64;
    let mut events = Events::with_capacity(connections);
    let start = Instant::now();
    let end = start + Duration::from_secs_f64(seconds);
    for connection in &mut all {
        connection.ask()?;
    }
    while Instant::now() < end {
        poll.poll(&mut events, Some(Duration::from_millis(100)))?;
        for event in &events {
            let connection = &mut all[event.token().0];
            if let Some(has_blocked) = connection.take_answer()? {
                answers += 1;
                if !has_blocked {
                    waits.push(connection.sent.elapsed());
                }
                connection.ask()?;
            }
        }
    }
    let rate = answers as f64 / start.elapsed().as_secs_f64();
    waits.sort_unstable();
    let quantile = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{rate:.0} {:.3} {:.3}", quantile(0.5), quantile(0.99));
    Ok(())
}

fn connect(poll: &Poll, address: SocketAddr, connections: usize) -> io::Result<Vec<Connection>> {
    (0..connections)
        .map(|number| {
            let stream = std::net::TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
            Ok(Connection { stream, answer: Vec::new(), sent: Instant::now() })
        })
        .collect()
}
