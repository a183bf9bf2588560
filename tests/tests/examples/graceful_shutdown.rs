//! The graceful server of the examples ends well: on ctrl-c it lets connections finish, and names
//! those that do not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use wsrt_tests::{LIMIT, example, within_a_minute};

/// The server as a process. Killed when dropped.
struct Server {
    process: Child,
    address: String,
    said: BufReader<std::process::ChildStdout>,
}

impl Server {
    fn start(program: &Path) -> Self {
        let mut process =
            Command::new(program).arg("127.0.0.1:0").stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut said = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut greeting = String::new();
        said.read_line(&mut greeting).expect("it tells where it listens");
        let address = greeting.trim().strip_prefix("listening on ").expect("with these words").to_owned();
        Self { process, address, said }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a timeout");
        stream
    }

    /// Sends the signal of ctrl-c, and returns the server's output from there to its end.
    fn interrupt(mut self) -> String {
        let kill = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status().expect("kill runs");
        assert!(kill.success());
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).expect("it ends");
        assert!(self.process.wait().expect("it is our child").success());
        rest
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn connections_are_signalled_and_the_server_leaves_no_rest() {
    // Building it may take more than a minute.
    let program = example("graceful_shutdown");
    within_a_minute(move || {
        let server = Server::start(&program);
        let mut clients: Vec<_> = (0..20).map(|_| server.connect()).collect();
        for client in &mut clients {
            client.write_all(b"hello").expect("written");
            client.read_exact(&mut [0; 5]).expect("echoed");
        }
        let said = server.interrupt();
        assert!(said.starts_with("ending\nevery task has ended, within "), "{said}");
        for mut client in clients {
            let mut rest = String::new();
            client.read_to_string(&mut rest).expect("the server closes in good order");
            assert_eq!(rest, "the server ends now\n");
        }
    });
}

#[test]
fn an_unfinished_connection_is_named_and_the_server_ends() {
    // Building it may take more than a minute.
    let program = example("graceful_shutdown");
    within_a_minute(move || {
        let server = Server::start(&program);
        let mut client = server.connect();
        // It reads nothing, and so the server's echo is stuck in a write.
        client.set_write_timeout(Some(std::time::Duration::from_secs(1))).expect("a timeout");
        while client.write(&[7; 64 * 1024]).is_ok() {}
        let said = server.interrupt();
        let after = said.strip_prefix("ending\ntasks left after ").and_then(|rest| rest.split_once(" ms"));
        let millis: u64 = after.and_then(|(millis, _)| millis.parse().ok()).unwrap_or_else(|| panic!("{said}"));
        assert!((5_000..20_000).contains(&millis), "five seconds and no more: {said}");
        assert!(said.contains(": 1\n  spawned at examples/graceful_shutdown.rs:"), "{said}");
    });
}
