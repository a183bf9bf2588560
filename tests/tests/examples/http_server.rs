//! The HTTP server of the examples serves: it answers every client, outlives bad clients and a want
//! of file descriptors, and ends in good order.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use wsrt_tests::{LIMIT, example, lines};

/// The server as a process. Killed when dropped.
struct Server {
    process: Child,
    address: SocketAddr,
    said: Receiver<String>,
    complained: Receiver<String>,
}

impl Server {
    fn start() -> Self {
        Self::start_by(Command::new(example("http_server")))
    }

    /// Starts `command`, which is or becomes the server, on a free port.
    fn start_by(mut command: Command) -> Self {
        command.env("PORT", "0").env("WSRT_WORKER_THREADS", "2").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let said = lines(process.stdout.take().expect("it is piped"));
        let complained = lines(process.stderr.take().expect("it is piped"));
        let greeting = said.recv_timeout(LIMIT).expect("it tells where it listens");
        let address = greeting.strip_prefix("listening on http://").expect("with these words");
        Self { process, address: address.parse().expect("an address"), said, complained }
    }

    fn connect(&self) -> Client {
        Client::connect(self.address).expect("the server listens")
    }

    /// Sends the signal that ctrl-c in a terminal sends.
    fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status().expect("kill runs");
        assert!(status.success());
    }

    fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().expect("it is our child") {
                return status;
            }
            assert!(start.elapsed() < LIMIT, "the server does not end");
            thread::yield_now();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A client that knows just enough of HTTP/1.1.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(LIMIT))?;
        Ok(Self(BufReader::new(stream)))
    }

    fn send(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).expect("the server reads");
    }

    /// Reads one answer: its status and its body.
    fn answer(&mut self) -> (u16, String) {
        let status = self.line().split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line");
        let mut length = 0;
        loop {
            let header = self.line().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("the whole body comes");
        (status, String::from_utf8(body).expect("text"))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("the server answers");
        assert!(line.ends_with("\r\n"), "the connection was closed after {line:?}");
        line.truncate(line.len() - 2);
        line
    }

    fn get(&mut self, path: &str) -> (u16, String) {
        self.send(&request(path));
        self.answer()
    }

    fn assert_greeted(&mut self) {
        assert_eq!(self.get("/"), (200, "Hello from wsrt\n".to_owned()));
    }

    /// Waits until the server has closed the connection, which it has to do without another word.
    fn assert_closed(mut self) {
        match self.0.read(&mut [0]) {
            Ok(count) => assert_eq!(count, 0, "the server has more to say"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
}

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n")
}

#[test]
fn it_answers_every_request() {
    let server = Server::start();
    for _ in 0..50 {
        server.connect().assert_greeted();
    }
    let mut kept = server.connect();
    for _ in 0..50 {
        kept.assert_greeted();
    }
    assert_eq!(kept.get("/nowhere").0, 404);
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let mut client = server.connect();
            thread::spawn(move || (0..100).for_each(|_| client.assert_greeted()))
        })
        .collect();
    clients.into_iter().for_each(|client| client.join().expect("all are greeted"));
}

/// The connection preface and an empty SETTINGS frame, which the server answers with its own.
#[test]
fn it_speaks_http_2_on_the_same_port() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    let mut header = [0; 9];
    client.0.read_exact(&mut header).expect("the server answers");
    assert_eq!(header[3], 4, "a SETTINGS frame: {header:?}");
    server.connect().assert_greeted();
}

#[test]
fn clients_that_break_off_cost_others_nothing() {
    let server = Server::start();
    let mut steady = server.connect();
    for round in 0..50 {
        // In the midst of the request, in the midst of the answer, and with nonsense.
        let mut client = server.connect();
        client.send(["GET / HT", &request("/slow"), "\0\x01nonsense\r\n\r\n"][round % 3]);
        drop(client);
        steady.assert_greeted();
        server.connect().assert_greeted();
    }
}

/// A request that is under way when this returns: its head came together with that of one that is
/// answered.
fn slow_request(server: &Server) -> Client {
    let mut client = server.connect();
    client.send(&(request("/") + &request("/slow")));
    assert_eq!(client.answer().0, 200);
    client
}

#[test]
fn ctrl_c_lets_open_requests_finish_and_ends_successfully() {
    let mut server = Server::start();
    let mut idle = server.connect();
    idle.assert_greeted();
    let silent = server.connect();
    let mut slow = slow_request(&server);
    server.interrupt();
    assert_eq!(server.said.recv_timeout(LIMIT).expect("it says what it does"), "ending: no new connections");
    // A connection without an open request, and one without any request.
    idle.assert_closed();
    silent.assert_closed();
    assert_eq!(slow.answer(), (200, "Hello from wsrt, a second later\n".to_owned()));
    slow.assert_closed();
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(server.complained.recv().ok(), None, "there was nothing to complain of");
}

#[test]
fn a_second_ctrl_c_ends_it_at_once() {
    let mut server = Server::start();
    let _slow = slow_request(&server);
    server.interrupt();
    server.said.recv_timeout(LIMIT).expect("it says what it does");
    // It may take the server a moment to listen for the second one.
    while server.process.try_wait().expect("it is our child").is_none() {
        server.interrupt();
    }
    assert_eq!(server.wait().code(), Some(130));
}

#[test]
fn it_outlives_a_want_of_file_descriptors() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 64; exec \"$0\""]).arg(example("http_server"));
    // By default it would leave descriptors unused.
    shell.env("CONNECTIONS", "1000");
    let server = Server::start_by(shell);
    let mut early = server.connect();
    early.assert_greeted();
    // More than it may have open. The system completes the connections, the server cannot accept
    // them all.
    let mut crowd: Vec<_> = (0..100).map(|_| server.connect()).collect();
    let complaint = server.complained.recv_timeout(LIMIT).expect("it says so");
    assert!(complaint.starts_with("wsrt: cannot accept a connection"), "{complaint}");
    early.assert_greeted();
    // The last in the crowd waits for others to leave.
    let mut last = crowd.pop().expect("there is a crowd");
    drop(crowd);
    last.assert_greeted();
    server.connect().assert_greeted();
    early.assert_greeted();
}

#[test]
fn bad_addresses_are_errors_that_name_them() {
    let program = example("http_server");
    let fails_with = |command: &mut Command, expected: &str| {
        let output = command.output().expect("it starts");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("http_server: {expected}\n"));
    };
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("it is bound").port().to_string();
    let message = format!("cannot bind 127.0.0.1:{port}: Address already in use (os error 98)");
    fails_with(Command::new(&program).env("PORT", &port), &message);
    let message = "PORT=http is not a port number from 0 to 65535: invalid digit found in string";
    fails_with(Command::new(&program).env("PORT", "http"), message);
}

/// Starts it with one of its limits set to `value`.
fn start_with(limit: &str, value: &str) -> Server {
    let mut command = Command::new(example("http_server"));
    command.env(limit, value);
    Server::start_by(command)
}

#[test]
fn a_client_that_says_nothing_is_closed() {
    let server = start_with("HEAD_SECONDS", "0.1");
    for beginning in ["", "GET / HT", "PRI * HTTP/2.0\r\n\r\nSM"] {
        let mut silent = server.connect();
        silent.send(beginning);
        // Perhaps with a word about it.
        let _ = silent.0.read_to_end(&mut Vec::new()).inspect_err(|error| {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{beginning:?}");
        });
    }
}

#[test]
fn a_client_that_takes_nothing_is_closed() {
    let server = start_with("WRITE_SECONDS", "0.1");
    let mut deaf = server.connect();
    deaf.0.get_ref().set_write_timeout(Some(LIMIT)).expect("sockets have timeouts");
    let requests = request("/").repeat(1000);
    // Until its answers fill all buffers, and then the server stops reading.
    let error = loop {
        if let Err(error) = deaf.0.get_mut().write_all(requests.as_bytes()) {
            break error.kind();
        }
    };
    assert!(matches!(error, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error:?}");
    server.connect().assert_greeted();
}

#[test]
fn connections_beyond_the_limit_wait_for_a_place() {
    let server = start_with("CONNECTIONS", "2");
    let (mut first, mut second) = (server.connect(), server.connect());
    first.assert_greeted();
    second.assert_greeted();
    let mut third = server.connect();
    third.send(&request("/"));
    third.0.get_ref().set_read_timeout(Some(Duration::from_millis(100))).expect("sockets have timeouts");
    assert_eq!(third.0.read(&mut [0]).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
    drop(first);
    third.0.get_ref().set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    assert_eq!(third.answer(), (200, "Hello from wsrt\n".to_owned()));
}
