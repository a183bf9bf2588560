//! The clients: requests of HTTP/1.1 that come at times of their own, whether earlier ones are
//! answered or not. A wait counts from the time at which the request was due, also where it had to
//! wait for a free connection. So a server that is slow cannot hide behind clients that are. A
//! connection that the server refuses is opened anew, and its request counts as shed.
//!
//! One thread has all connections, and never sleeps while requests are due.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::Failure;
use crate::measure::quantile;
use crate::random::Random;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Without an answer for so long, the server is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// The result of a run. Times are of the requests that were served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) sent_per_second: f64,
    pub(super) served_per_second: f64,
    pub(super) share_shed: f64,
    pub(super) median_ms: f64,
    pub(super) p99_ms: f64,
}

/// An answer: when its request was due, and whether it was served.
struct Answer {
    due: Instant,
    waited: Duration,
    is_served: bool,
}

pub(super) struct Clients {
    address: SocketAddr,
    poll: Poll,
    connections: Vec<Connection>,
    /// Those without a request, the one that has been free for the longest first.
    free: VecDeque<usize>,
    random: Random,
}

impl Clients {
    pub(super) fn connect(address: SocketAddr, connections: usize) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let open = |number| Connection::open(address, &poll, number);
        let connections: Vec<_> = (0..connections).map(open).collect::<Result<_, Failure>>()?;
        let free = (0..connections.len()).collect();
        Ok(Self { address, poll, connections, free, random: Random::new(1) })
    }

    /// Returns how many requests a second are answered if each connection asks again at once.
    pub(super) fn capacity(&mut self, length: Duration) -> Result<f64, Failure> {
        let began = Instant::now();
        let mut served = 0_u64;
        while began.elapsed() < length {
            while let Some(number) = self.free.pop_front() {
                self.connections[number].ask(Instant::now())?;
            }
            self.receive(None, |answer| served += u64::from(answer.is_served))?;
        }
        Ok(served as f64 / began.elapsed().as_secs_f64())
    }

    /// Sends `rate` requests a second at random times, and waits until all are answered. Those that
    /// are due in the `warm_up` are not counted.
    pub(super) fn at_rate(&mut self, rate: f64, warm_up: Duration, length: Duration) -> Result<Outcome, Failure> {
        let (gap, counted_from) = (Duration::from_secs_f64(1.0 / rate), Instant::now() + warm_up);
        let end = counted_from + length;
        let (mut next, mut due, mut answers) = (Instant::now(), VecDeque::new(), Vec::new());
        loop {
            while next < end && next <= Instant::now() {
                due.push_back(next);
                next += self.random.pause(gap);
            }
            while let Some(at) = due.front().copied() {
                let Some(number) = self.free.pop_front() else { break };
                self.connections[number].ask(at)?;
                due.pop_front();
            }
            if next >= end && due.is_empty() && self.free.len() == self.connections.len() {
                break;
            }
            if Instant::now() > end + PATIENCE {
                return Err(format!("no answer from the server for {PATIENCE:?}").into());
            }
            self.receive(Some(Duration::ZERO), |answer| answers.push(answer))?;
        }
        answers.retain(|answer| answer.due >= counted_from);
        Ok(Outcome::of(&answers, length))
    }

    /// Takes the answers that have come, or waits for one if `patience` says so.
    fn receive(&mut self, patience: Option<Duration>, mut take: impl FnMut(Answer)) -> Result<(), Failure> {
        let mut events = Events::with_capacity(1_024);
        self.poll.poll(&mut events, patience.or(Some(PATIENCE)))?;
        if events.is_empty() && patience.is_none() {
            return Err(format!("no answer from the server for {PATIENCE:?}").into());
        }
        for event in &events {
            let Token(number) = event.token();
            let connection = &mut self.connections[number];
            let was_asked = connection.due;
            let answer = match connection.receive()? {
                Received::Part => continue,
                Received::Whole { due, is_served } => Some((due, is_served)),
                Received::End => {
                    *connection = Connection::open(self.address, &self.poll, number)?;
                    was_asked.map(|due| (due, false))
                }
            };
            // A connection that ends without a request is free already.
            if let Some((due, is_served)) = answer {
                self.free.push_back(number);
                take(Answer { due, waited: due.elapsed(), is_served });
            }
        }
        Ok(())
    }
}

impl Outcome {
    fn of(answers: &[Answer], length: Duration) -> Self {
        let served = answers.iter().filter(|answer| answer.is_served);
        let mut millis: Vec<_> = served.map(|answer| answer.waited.as_secs_f64() * 1e3).collect();
        millis.sort_by(f64::total_cmp);
        let (sent, served) = (answers.len() as f64, millis.len() as f64);
        let at = |share| if millis.is_empty() { f64::NAN } else { quantile(&millis, share) };
        Self {
            sent_per_second: sent / length.as_secs_f64(),
            served_per_second: served / length.as_secs_f64(),
            share_shed: 1.0 - served / sent,
            median_ms: at(0.5),
            p99_ms: at(0.99),
        }
    }
}

/// What a look at a connection has found.
enum Received {
    Part,
    Whole { due: Instant, is_served: bool },
    End,
}

struct Connection {
    stream: TcpStream,
    /// When the request that has no answer yet was due.
    due: Option<Instant>,
    /// What has come of its answer.
    arrived: Vec<u8>,
}

impl Connection {
    fn open(address: SocketAddr, poll: &Poll, number: usize) -> Result<Self, Failure> {
        // By the standard library, which waits until the connection is there.
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
        Ok(Self { stream, due: None, arrived: Vec::new() })
    }

    fn ask(&mut self, due: Instant) -> Result<(), Failure> {
        self.due = Some(due);
        match self.stream.write(REQUEST) {
            Ok(sent) if sent == REQUEST.len() => Ok(()),
            Ok(sent) => Err(format!("only {sent} of {} bytes could be sent", REQUEST.len()).into()),
            // The next look finds the end.
            Err(error) if is_end(error.kind()) => Ok(()),
            Err(error) => Err(format!("cannot send: {error}").into()),
        }
    }

    /// Looks for the answer.
    fn receive(&mut self) -> Result<Received, Failure> {
        let mut buffer = [0; 1_024];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Ok(Received::End),
                Ok(count) => self.arrived.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if is_end(error.kind()) => return Ok(Received::End),
                Err(error) => return Err(format!("no answer from the server: {error}").into()),
            }
        }
        let Some(status) = status_of_whole(&self.arrived)? else { return Ok(Received::Part) };
        self.arrived.clear();
        let due = self.due.take().ok_or("the server has answered without a request")?;
        Ok(Received::Whole { due, is_served: status == 200 })
    }
}

/// Returns whether the server has closed the connection.
fn is_end(error: ErrorKind) -> bool {
    matches!(error, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::NotConnected)
}

/// Returns the status of an answer that has arrived as a whole.
///
/// # Errors
///
/// Returns an error if the bytes are no answer of this server's.
fn status_of_whole(bytes: &[u8]) -> Result<Option<u16>, Failure> {
    let text = std::str::from_utf8(bytes)?;
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(None) };
    let unexpected = || format!("an unexpected answer: {text:?}");
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(unexpected)?;
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let length: usize = length.ok_or_else(unexpected)?;
    if !matches!(status, 200 | 503) || body.len() > length {
        return Err(unexpected().into());
    }
    Ok((body.len() == length).then_some(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_when_it_is_whole() {
        let served = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ndate: today\r\n\r\nabc";
        for length in 0..served.len() {
            assert_eq!(status_of_whole(&served.as_bytes()[..length]).unwrap(), None, "{length}");
        }
        assert_eq!(status_of_whole(served.as_bytes()).unwrap(), Some(200));
        let shed = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(status_of_whole(shed).unwrap(), Some(503));
    }

    #[test]
    fn other_answers_are_failures() {
        for wrong in ["HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "what?\r\n\r\n"] {
            assert!(status_of_whole(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn figures_are_those_of_the_served_requests() {
        let due = Instant::now();
        let answer = |millis, is_served| Answer { due, waited: Duration::from_millis(millis), is_served };
        let outcome = Outcome::of(&[answer(3, true), answer(900, false), answer(1, true)], Duration::from_secs(2));
        assert_eq!((outcome.sent_per_second, outcome.served_per_second), (1.5, 1.0));
        assert!((outcome.share_shed - 1.0 / 3.0).abs() < 1e-9 && (outcome.median_ms - 2.0).abs() < 1e-9);
    }
}
