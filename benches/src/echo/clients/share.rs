//! One thread's connections, in an epoll loop: one request of 64 bytes outstanding on each, the
//! answer compared byte by byte.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use rustls::ClientConfig;

use super::schedule::Schedule;
use super::wait::wait;
use super::wire::Wire;
use crate::Failure;

/// Events that one wait takes at most.
const EVENTS: usize = 1024;
/// The bytes of a request.
const BYTES: usize = 64;
/// A request, or its answer: one byte over and over, another in the next request.
type Message = [u8; BYTES];

/// One thread's connections.
#[derive(Debug)]
pub(super) struct Share {
    poll: Poll,
    connections: Vec<Connection>,
}

#[derive(Debug)]
struct Connection {
    wire: Wire,
    /// When the requests were due that are not yet answered: the first is outstanding, the others
    /// wait for its answer.
    due: VecDeque<Duration>,
    /// Every byte of the outstanding request.
    content: u8,
    /// Bytes of its answer.
    received: usize,
}

/// The latencies of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Taken {
    pub(super) micros: Vec<f64>,
    /// From the start to the last answer.
    pub(super) elapsed: Duration,
}

impl Taken {
    pub(super) fn add(&mut self, other: Self) {
        self.micros.extend(other.micros);
        self.elapsed = self.elapsed.max(other.elapsed);
    }

    fn answer(&mut self, due: Duration, now: Duration) {
        self.micros.push(now.saturating_sub(due).as_nanos() as f64 / 1e3);
        self.elapsed = now;
    }
}

impl Share {
    /// Opens the connections, over TLS if there is a configuration for it. Each has had an answer,
    /// so that the server has accepted it.
    pub(super) fn open(address: SocketAddr, count: usize, tls: Option<&Arc<ClientConfig>>) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let mut connections = Vec::with_capacity(count);
        for number in 0..count {
            let mut connection = Connection::open(address, tls)?;
            poll.registry().register(connection.wire.socket(), Token(number), Interest::READABLE)?;
            connections.push(connection);
        }
        Ok(Self { poll, connections })
    }

    /// Sends on each connection as soon as it has its answer, until `length` is over, and takes the
    /// last answers.
    pub(super) fn drive_closed(&mut self, start: Instant, length: Duration) -> Result<Taken, Failure> {
        let (mut events, mut taken) = (Events::with_capacity(EVENTS), Taken::default());
        let mut outstanding = self.connections.len();
        for connection in &mut self.connections {
            connection.ask(start.elapsed())?;
        }
        while outstanding > 0 {
            wait(&mut self.poll, &mut events, None)?;
            for event in &events {
                let connection = at(&mut self.connections, event);
                let Some(due) = connection.take_answer()? else { continue };
                let now = start.elapsed();
                taken.answer(due, now);
                if now < length {
                    connection.ask(now)?;
                } else {
                    outstanding -= 1;
                }
            }
        }
        Ok(taken)
    }

    /// Sends when requests are due, on the connections in turn, and takes all answers. A request
    /// whose connection is busy is sent after the answer, and its latency counts from when it was
    /// due.
    pub(super) fn drive_open(&mut self, start: Instant, schedule: Schedule) -> Result<Taken, Failure> {
        let (mut events, mut taken) = (Events::with_capacity(EVENTS), Taken::default());
        let (mut issued, count) = (0, self.connections.len());
        while taken.micros.len() < schedule.requests {
            while issued < schedule.requests && schedule.due(issued) <= start.elapsed() {
                self.connections[issued % count].ask(schedule.due(issued))?;
                issued += 1;
            }
            let next = (issued < schedule.requests).then(|| schedule.due(issued));
            wait(&mut self.poll, &mut events, next.map(|due| due.saturating_sub(start.elapsed())))?;
            for event in &events {
                if let Some(due) = at(&mut self.connections, event).take_answer()? {
                    taken.answer(due, start.elapsed());
                }
            }
        }
        Ok(taken)
    }
}

fn at<'a>(connections: &'a mut [Connection], event: &Event) -> &'a mut Connection {
    &mut connections[event.token().0]
}

impl Connection {
    fn open(address: SocketAddr, tls: Option<&Arc<ClientConfig>>) -> Result<Self, Failure> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let blocking = stream.try_clone()?;
        let mut wire = Wire::over(TcpStream::from_std(stream), tls)?;
        let mut message: Message = [1; BYTES];
        wire.write_all(&message)?;
        wire.read_exact(&mut message)?;
        blocking.set_nonblocking(true)?;
        Ok(Self { wire, due: VecDeque::with_capacity(1), content: 0, received: 0 })
    }

    /// Sends a request, or leaves it until the one before is answered.
    fn ask(&mut self, due: Duration) -> Result<(), Failure> {
        self.due.push_back(due);
        if self.due.len() > 1 {
            return Ok(());
        }
        self.send()
    }

    fn send(&mut self) -> Result<(), Failure> {
        self.content = self.content.wrapping_add(1);
        self.received = 0;
        let message: Message = [self.content; BYTES];
        // Nothing else is outstanding, so there is room for it.
        match self.wire.write(&message)? {
            BYTES => Ok(()),
            written => Err(format!("{written} bytes of a request were taken").into()),
        }
    }

    /// Reads what has come. Once the answer is whole, returns when its request was due, and sends
    /// the next that waits.
    fn take_answer(&mut self) -> Result<Option<Duration>, Failure> {
        let mut buffer: Message = [0; BYTES];
        while !self.due.is_empty() {
            let read = match self.wire.read(&mut buffer[self.received..]) {
                Ok(0) => return Err("the server has closed a connection".into()),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            if buffer[self.received..][..read].iter().any(|byte| *byte != self.content) {
                return Err("the server's answer is not the request".into());
            }
            self.received += read;
            if self.received == BYTES {
                let due = self.due.pop_front();
                if !self.due.is_empty() {
                    self.send()?;
                }
                return Ok(due);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use crate::workloads::BareEcho;

    #[test]
    fn every_request_that_was_due_has_its_answer() {
        let server = BareEcho::start(1, 3, 4096).unwrap();
        let mut share = Share::open(server.address, 3, None).unwrap();
        let schedule = Schedule::of(2000, 1, 0, Duration::from_millis(100));
        let taken = share.drive_open(Instant::now(), schedule).unwrap();
        assert_eq!(taken.micros.len(), 200);
        assert!(taken.elapsed >= schedule.due(199));
        let taken = share.drive_closed(Instant::now(), Duration::from_millis(20)).unwrap();
        assert!(taken.micros.len() >= 3 && taken.elapsed >= Duration::from_millis(20), "{}", taken.micros.len());
    }

    #[test]
    fn a_stall_shows_in_every_request_that_was_due_meanwhile() {
        let stall = Duration::from_millis(30);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut message: Message = [0; BYTES];
            let mut answered = 0;
            while stream.read_exact(&mut message).is_ok() {
                // The second is the first of the schedule.
                if answered == 1 {
                    thread::sleep(stall);
                }
                stream.write_all(&message).unwrap();
                answered += 1;
            }
        });
        let mut share = Share::open(address, 1, None).unwrap();
        let taken = share.drive_open(Instant::now(), Schedule::of(1000, 1, 0, Duration::from_millis(100))).unwrap();
        // One is due each millisecond: those of the first 20 had to wait for 10 at least.
        let late = taken.micros.iter().filter(|micros| **micros >= 10_000.0).count();
        assert!(late >= 20, "{late} of {}", taken.micros.len());
        drop(share);
        server.join().unwrap();
    }

    #[test]
    fn another_answer_than_the_request_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut message: Message = [0; BYTES];
            stream.read_exact(&mut message).unwrap();
            stream.write_all(&message).unwrap();
            stream.read_exact(&mut message).unwrap();
            stream.write_all(&[0; BYTES]).unwrap();
            // Until the client has read it.
            let _closed = stream.read(&mut message);
        });
        let mut share = Share::open(address, 1, None).unwrap();
        let failure = share.drive_closed(Instant::now(), Duration::from_millis(1)).unwrap_err();
        assert!(failure.to_string().contains("not the request"), "{failure}");
        drop(share);
        server.join().unwrap();
    }
}
