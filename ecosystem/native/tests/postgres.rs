//! tokio-postgres on wsrt's streams, against a real PostgreSQL.

use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use wsrt_ecosystem_testing::{Running, Scratch, example, free_address, output_of, peer};

#[test]
fn a_real_postgresql_answers() {
    let (Some(initdb), Some(postgres)) = (peer("initdb"), peer("postgres")) else { return };
    let (folder, address) = (Scratch::new(), free_address());
    let data = folder.file("data");
    let own_folder = folder.path().to_str().expect("a readable name");

    hand_over(&folder);
    let _ = output_of(as_a_user(initdb, &["-D", &data, "-U", "wsrt", "--auth=trust", "--no-sync"]));
    let port = address.port().to_string();
    let arguments = ["-D", &data, "-h", "127.0.0.1", "-p", &port, "-k", own_folder, "-F"];
    let mut server = Running::start(as_a_user(postgres, &arguments));
    server.wait_until(|| TcpStream::connect(address).is_ok() && is_ready(&port));

    let mut client = example(env!("CARGO_MANIFEST_DIR"), "postgres_client").command();
    client.args([&address.to_string(), "user=wsrt dbname=postgres"]);
    let expected = "task: 4\nmachine: 7\nprocessor: 9\nsquares: 385\nsleeping: given up\nrefused: division by zero\n\
                    closed in good order\n";
    assert_eq!(output_of(client), expected);
    server.interrupt();
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
