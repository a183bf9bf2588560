//! The clients of the echo server: each connection sends at its own fixed times, with or without
//! the answers to earlier requests, and a wait counts from the time at which the request was due.
//! So a server that stops for a while cannot hide behind clients that stop too.
//!
//! One thread looks at all connections in turn without ever sleeping, since a sleep would be late
//! by more than the measured times.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write, stdout};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::cores::{self, Cores};
use crate::harness::{Arguments, Job, Series, Words};

const MESSAGE: usize = 64;
/// Without an answer for so long, the server is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The extent of the clients' work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    pub(super) address: SocketAddr,
    pub(super) connections: usize,
    /// Between two requests of a connection.
    pub(super) period: Duration,
    /// Requests of a connection that are not counted.
    pub(super) warm_up: usize,
    /// Requests of a connection that are counted.
    pub(super) requests: usize,
    pub(super) cores: Vec<usize>,
    /// The server is on the same cores.
    pub(super) shared: bool,
}

impl Pace {
    /// The name of the waits, in microseconds, among the series.
    pub(super) const SERIES: &str = "wait";

    /// 16 connections with 1,000 requests a second each, for two seconds.
    pub(super) fn usual(address: SocketAddr, cores: &Cores) -> Self {
        Self {
            address,
            connections: 16,
            period: Duration::from_millis(1),
            warm_up: 300,
            requests: 2_000,
            cores: cores.of_clients().to_vec(),
            shared: cores.others.is_empty(),
        }
    }

    /// Writes the command line that [`take`](Self::take) reads.
    pub(super) fn words(&self) -> Words {
        Words::begin("--pace", &[&self.address.to_string()])
            .option("--connections", self.connections)
            .option("--period-us", self.period.as_micros() as usize)
            .option("--warm-up", self.warm_up)
            .option("--requests", self.requests)
            .numbers("--cores", &self.cores)
            .flag("--shared", self.shared)
    }

    fn take(address: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            address: address.parse().map_err(|error| format!("--pace {address}: {error}"))?,
            connections: arguments.positive("--connections")?.ok_or("--pace needs --connections")?,
            period: Duration::from_micros(arguments.positive("--period-us")?.ok_or("--pace needs --period-us")?),
            warm_up: arguments.number("--warm-up")?.unwrap_or(0),
            requests: arguments.positive("--requests")?.ok_or("--pace needs --requests")?,
            cores: arguments.numbers("--cores")?.ok_or("--pace needs --cores")?,
            shared: arguments.flag("--shared"),
        })
    }
}

/// Reads the options of the clients.
pub(in crate::parallel) fn role(address: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let pace = Pace::take(address, arguments)?;
    Ok(Box::new(move || serve(&pace)))
}

/// Does the clients' work, and prints the waits.
///
/// # Errors
///
/// Returns an error if the server cannot be reached, closes a connection, or leaves a request
/// without its answer.
fn serve(pace: &Pace) -> Result<(), Failure> {
    cores::stay_on(&pace.cores)?;
    let mut series = Series::default();
    series.add(Pace::SERIES, waits(pace)?);
    Ok(series.write(&mut stdout().lock())?)
}

/// Sends all requests, and answers for how many microseconds the counted ones were waited for.
fn waits(pace: &Pace) -> Result<Vec<f64>, Failure> {
    let start = Instant::now() + pace.period;
    let client = |number: usize| {
        // Evenly over the period, so that the server has one request at a time if it is fast.
        let offset = pace.period * number as u32 / pace.connections as u32;
        Client::connect(pace, start + offset)
    };
    let mut clients = (0..pace.connections).map(client).collect::<Result<Vec<_>, _>>()?;
    while !clients.iter().all(Client::is_done) {
        for client in &mut clients {
            client.look(pace)?;
        }
        if pace.shared {
            thread::yield_now();
        }
    }
    Ok(clients.into_iter().flat_map(|client| client.waits.into_iter().skip(pace.warm_up)).collect())
}

struct Client {
    stream: TcpStream,
    /// When the next request is to be sent.
    due: Instant,
    to_send: usize,
    /// When those were due that have no answer yet.
    unanswered: VecDeque<Instant>,
    /// Bytes of the next answer that are here.
    arrived: usize,
    waits: Vec<f64>,
}

impl Client {
    fn connect(pace: &Pace, due: Instant) -> Result<Self, Failure> {
        let stream = TcpStream::connect(pace.address)
            .map_err(|error| format!("cannot connect to the server at {}: {error}", pace.address))?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let to_send = pace.warm_up + pace.requests;
        Ok(Self { stream, due, to_send, unanswered: VecDeque::new(), arrived: 0, waits: Vec::with_capacity(to_send) })
    }

    fn is_done(&self) -> bool {
        self.to_send == 0 && self.unanswered.is_empty()
    }

    /// Sends the requests that are due, and takes the answers that have come.
    fn look(&mut self, pace: &Pace) -> Result<(), Failure> {
        if self.to_send > 0 && Instant::now() >= self.due {
            self.send()?;
            self.due += pace.period;
        }
        let Some(&oldest) = self.unanswered.front() else { return Ok(()) };
        self.receive()?;
        if !self.unanswered.is_empty() && oldest.elapsed() > PATIENCE {
            return Err(format!("a request has no answer after {} s", PATIENCE.as_secs()).into());
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), Failure> {
        let sent = self
            .stream
            .write(&[7; MESSAGE])
            .map_err(|error| format!("cannot send, with {} requests unanswered: {error}", self.unanswered.len()))?;
        if sent != MESSAGE {
            return Err(format!("only {sent} of {MESSAGE} bytes could be sent").into());
        }
        self.unanswered.push_back(self.due);
        self.to_send -= 1;
        Ok(())
    }

    fn receive(&mut self) -> Result<(), Failure> {
        let mut buffer = [0; 16 * MESSAGE];
        match self.stream.read(&mut buffer) {
            Ok(0) => return Err("the server has closed a connection".into()),
            Ok(count) => self.arrived += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(format!("no answer from the server: {error}").into()),
        }
        let now = Instant::now();
        while self.arrived >= MESSAGE {
            let due = self.unanswered.pop_front().ok_or("the server sends more than it is sent")?;
            self.waits.push((now - due).as_secs_f64() * 1e6);
            self.arrived -= MESSAGE;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::TcpListener;

    use super::*;

    fn pace(address: SocketAddr) -> Pace {
        let period = Duration::from_micros(200);
        Pace { address, connections: 2, period, warm_up: 3, requests: 5, cores: vec![], shared: true }
    }

    /// Serves two connections, each by `serve`, and answers where.
    fn server(serve: fn(TcpStream)) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().take(2) {
                let stream = stream.unwrap();
                thread::spawn(move || serve(stream));
            }
        });
        address
    }

    #[test]
    fn every_request_after_the_warm_up_has_its_wait() {
        let address = server(|mut stream| {
            let mut reader = stream.try_clone().unwrap();
            io::copy(&mut reader, &mut stream).unwrap();
        });
        let waits = waits(&pace(address)).unwrap();
        assert_eq!(waits.len(), 2 * 5);
        assert!(waits.iter().all(|&micros| micros > 0.0), "{waits:?}");
    }

    #[test]
    fn a_server_stop_counts_for_all_requests_due_meanwhile() {
        const STOP: Duration = Duration::from_millis(20);
        let address = server(|mut stream| {
            thread::sleep(STOP);
            let mut reader = stream.try_clone().unwrap();
            io::copy(&mut reader, &mut stream).unwrap();
        });
        // All are due within 2 ms, and the server has stopped before the first.
        let waits = waits(&Pace { warm_up: 0, ..pace(address) }).unwrap();
        assert!(waits.iter().all(|&micros| micros > 10_000.0), "{waits:?}");
    }

    #[test]
    fn a_server_that_closes_the_connection_is_an_error() {
        let message = waits(&pace(server(drop))).unwrap_err().to_string();
        assert!(
            ["closed a connection", "no answer", "cannot send"].iter().any(|words| message.contains(words)),
            "{message}"
        );
    }

    #[test]
    fn the_clients_understand_the_words_of_the_server() {
        for shared in [false, true] {
            let pace = Pace { cores: vec![3], shared, ..pace(([127, 0, 0, 1], 4242).into()) };
            assert_eq!(pace.words().read(Pace::take), pace);
        }
    }

    #[test]
    fn a_refused_connection_is_an_error_naming_the_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let message = waits(&pace(address)).unwrap_err().to_string();
        assert!(message.contains(&address.to_string()), "{message}");
    }
}
