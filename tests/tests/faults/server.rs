//! The example HTTP server under a plan: each request is answered or its connection is closed, and
//! each is answered once the plan has ended.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;

use crate::plan::Plan;
use crate::program::{LIMIT, Program};
use crate::strace::Injection;

/// Requests in a row, each on a connection of its own, and connections that stay open.
const REQUESTS: usize = 12;
const KEPT: usize = 3;

/// Returns the number of refused calls, and of requests that the server has closed.
pub(crate) fn run(server: &Path, plan: Plan) -> Result<(usize, Vec<String>), String> {
    let mut command = Command::new(server);
    command.env("PORT", "0");
    let (mut server, greeting) = Program::start(command)?;
    let address = greeting.strip_prefix("listening on http://").and_then(|address| address.parse().ok());
    let Some(address) = address else { return Err(greeting) };
    match survive(&server, address, plan) {
        Ok(survived) => {
            let (status, complaints) = server.end(Some(libc::SIGINT))?;
            let is_well = status.success() && !complaints.contains("panicked");
            if is_well { Ok(survived) } else { Err(format!("{status}\n{complaints}")) }
        }
        Err(fault) => Err(format!("{fault}\n{}", server.complaints())),
    }
}

fn survive(server: &Program, address: SocketAddr, plan: Plan) -> Result<(usize, Vec<String>), String> {
    let mut kept = Vec::new();
    for _ in 0..KEPT {
        let mut client = Client::connect(address)?;
        client.expect_answer("before the plan")?;
        kept.push(client);
    }
    let injection = Injection::begin(server.id(), plan)?;
    for client in &mut kept {
        client.expect_answer("on a connection from before the plan")?;
    }
    // None is read before all are sent: a server without descriptors answers when the plan ends.
    let mut waiting: Vec<Client> = Vec::new();
    for _ in 0..REQUESTS {
        let mut client = Client::connect(address)?;
        client.send();
        waiting.push(client);
    }
    if !plan.asks_for_repetition() {
        server.check_idle().map_err(|fault| format!("under the plan: {fault}"))?;
    }
    let refused = injection.end();
    let mut closed = 0;
    for client in &mut waiting {
        closed += usize::from(!client.is_answered()?);
    }
    for client in &mut kept {
        client.expect_answer("after the plan")?;
    }
    for _ in 0..REQUESTS {
        Client::connect(address)?.expect_answer("on a new connection after the plan")?;
    }
    server.check_idle()?;
    let closed = (closed > 0).then(|| format!("{closed} of {REQUESTS} connections closed"));
    Ok((refused, closed.into_iter().collect()))
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> Result<Self, String> {
        let stream = TcpStream::connect(address).map_err(|error| format!("the client cannot connect: {error}"))?;
        stream.set_read_timeout(Some(LIMIT)).expect("the time limit is not zero");
        Ok(Self(BufReader::new(stream)))
    }

    fn send(&mut self) {
        // An error of a connection that the server has closed comes when the answer is read, too.
        let _ = self.0.get_mut().write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    fn expect_answer(&mut self, when: &str) -> Result<(), String> {
        self.send();
        match self.is_answered() {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!("{when}: the connection was closed")),
            Err(fault) => Err(format!("{when}: {fault}")),
        }
    }

    /// Reads the answer; `false` if the connection was closed without one.
    fn is_answered(&mut self) -> Result<bool, String> {
        use std::io::ErrorKind::{BrokenPipe, ConnectionReset, WouldBlock};
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match self.0.read_until(b'\n', &mut head) {
                Ok(0) if head.is_empty() => return Ok(false),
                Ok(0) => return Err(format!("half an answer: {}", String::from_utf8_lossy(&head))),
                Ok(_) => {}
                Err(error) if error.kind() == WouldBlock => return Err("no answer".to_owned()),
                Err(error) if matches!(error.kind(), ConnectionReset | BrokenPipe) => return Ok(false),
                Err(error) => return Err(error.to_string()),
            }
        }
        let mut body = [0; 16];
        self.0.read_exact(&mut body).map_err(|error| format!("half an answer: {error}"))?;
        let is_right = head.starts_with(b"HTTP/1.1 200") && &body == b"Hello from wsrt\n";
        if is_right { Ok(true) } else { Err(format!("a wrong answer: {}", String::from_utf8_lossy(&head))) }
    }
}
