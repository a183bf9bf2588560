//! A PostgreSQL server, started for one test.

use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use super::{Running, Scratch, free_address, output_of, peer};

/// A running PostgreSQL server that accepts queries, with an empty database `postgres` and a user
/// `wsrt` without a password. Dropping this value kills the server.
#[derive(Debug)]
pub struct Postgres {
    server: Running,
    address: SocketAddr,
    // After the server, which writes to it.
    _folder: Scratch,
}

impl Postgres {
    /// Creates a database and starts the server, or returns `None` if PostgreSQL is not installed.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start, or if PostgreSQL is not installed in CI.
    #[must_use]
    pub fn start() -> Option<Self> {
        let (initdb, postgres) = (peer("initdb")?, peer("postgres")?);
        let (folder, address) = (Scratch::new(), free_address());
        let data = folder.file("data");
        let own_folder = folder.path().to_str().expect("a readable name");

        hand_over(&folder);
        let _ = output_of(as_a_user(initdb, &["-D", &data, "-U", "wsrt", "--auth=trust", "--no-sync"]));
        let port = address.port().to_string();
        let arguments = ["-D", &data, "-h", "127.0.0.1", "-p", &port, "-k", own_folder, "-F"];
        let mut server = Running::start(as_a_user(postgres, &arguments));
        server.wait_until(|| TcpStream::connect(address).is_ok() && is_ready(&port));
        Some(Self { server, address, _folder: folder })
    }

    /// Returns the address on which the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a URL that names the server, the database and the user.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://wsrt@{}/postgres", self.address)
    }

    /// Stops the server, which closes its connections and its database, and waits until it has
    /// ended.
    ///
    /// # Panics
    ///
    /// Panics if the server does not end, or ends with an error.
    pub fn stop(self) {
        self.server.interrupt();
    }
}

/// It accepts connections before it answers on them.
fn is_ready(port: &str) -> bool {
    let Some(mut check) = peer("pg_isready") else { return true };
    check.args(["-q", "-h", "127.0.0.1", "-p", port]).status().is_ok_and(|status| status.success())
}

/// PostgreSQL refuses to run as root: then it runs as the user that its package has made.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn hand_over(folder: &Scratch) {
    if is_root() {
        let mut chown = Command::new("chown");
        chown.arg("postgres").arg(folder.path());
        let _ = output_of(chown);
    }
}

fn as_a_user(program: Command, arguments: &[&str]) -> Command {
    let mut command = if is_root() {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program.get_program());
        setpriv
    } else {
        program
    };
    command.args(arguments);
    command
}
