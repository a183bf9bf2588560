//! The load process: a closed loop on each connection, one request outstanding, the answer compared
//! byte by byte.
//!
//! A few threads share the connections. A thread sends one request on each of its connections and
//! then takes the answers, so that all its connections are busy at once without a thread for each,
//! whose switches would cost more than the server.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::{LoadPlan, Outcome};
use crate::usage::allow_open_files;
use crate::{Failure, cores, driver};

/// The most threads that the connections are shared by.
const THREADS: usize = 4;
/// After this long without an answer the server is taken for broken.
const PATIENCE: Duration = Duration::from_secs(20);
/// Descriptors beside the connections.
const OTHER_FILES: u64 = 16;

/// Does the load process's work: speaks the parent module's protocol on the standard streams.
///
/// # Errors
///
/// Returns an error if the server cannot be reached, closes a connection, answers with other bytes
/// or not at all, or if the process that started this one is gone.
pub(super) fn serve(plan: &LoadPlan) -> Result<(), Failure> {
    if !plan.cores.is_empty() {
        cores::stay_on(&plan.cores)?;
    }
    allow_open_files(plan.connections as u64 + OTHER_FILES)?;
    let mut shares = connect(plan)?;
    sweep_all(&mut shares, plan.warm_up)?;
    driver::serve(shares, |shares| {
        let start = Instant::now();
        sweep_all(shares, plan.requests)?;
        Ok(Outcome { requests: plan.requests * plan.connections as u64, elapsed: start.elapsed() })
    })
}

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    fn open(plan: &LoadPlan) -> io::Result<Self> {
        let stream = TcpStream::connect(plan.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, request: vec![0; plan.bytes], answer: vec![0; plan.bytes] })
    }

    /// Sends a request that differs from the one before and from its neighbours' in every byte.
    fn ask(&mut self, seed: u64) -> io::Result<()> {
        self.request.fill(seed as u8);
        self.stream.write_all(&self.request)
    }

    fn take_answer(&mut self) -> Result<(), Failure> {
        self.stream.read_exact(&mut self.answer).map_err(|error| format!("no answer from the server: {error}"))?;
        if self.answer != self.request {
            return Err("the server's answer is not the request".into());
        }
        Ok(())
    }
}

/// The connections, dealt out to the threads.
fn connect(plan: &LoadPlan) -> io::Result<Vec<Vec<Connection>>> {
    let threads = plan.connections.min(THREADS);
    let mut shares: Vec<_> = (0..threads).map(|_| Vec::new()).collect();
    for number in 0..plan.connections {
        shares[number % threads].push(Connection::open(plan)?);
    }
    Ok(shares)
}

/// Sends `requests` on each connection of each share, a thread for each share.
fn sweep_all(shares: &mut [Vec<Connection>], requests: u64) -> Result<(), Failure> {
    thread::scope(|scope| {
        let threads: Vec<_> = shares.iter_mut().map(|share| scope.spawn(move || sweep(share, requests))).collect();
        for thread in threads {
            thread.join().expect("a client thread panicked")?;
        }
        Ok(())
    })
}

fn sweep(share: &mut [Connection], requests: u64) -> Result<(), Failure> {
    for request in 0..requests {
        for (number, connection) in share.iter_mut().enumerate() {
            connection.ask(request + number as u64)?;
        }
        for connection in share.iter_mut() {
            connection.take_answer()?;
        }
    }
    Ok(())
}
