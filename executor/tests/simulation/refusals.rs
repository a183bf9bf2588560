//! Sources of the system are no part of a simulation, and refused by an error that names them.

use std::io::{self, ErrorKind, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram as StdDatagram, UnixStream as StdStream};

use wsrt::net::unix::pipe;
use wsrt::net::{TcpStream, UnixDatagram, UnixListener, UnixStream};
use wsrt::process::Command;
use wsrt::signal::unix::{SignalKind, signal};
use wsrt::sim;

/// It is refused by an error that names this kind.
#[track_caller]
fn is_refused<T>(outcome: io::Result<T>, kind: &str) {
    let error = outcome.map(drop).expect_err(kind);
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{kind}: {error}");
    let text = error.to_string();
    assert!(text.starts_with(&format!("a `{kind}` of the system: this runtime is simulated")), "{kind}: {text}");
    assert!(!text.contains("interpose!"), "this program has the line: {text}");
}

#[test]
fn sockets_of_the_system_are_refused_by_name() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("the system has a port");
    let stream = std::net::TcpStream::connect(listener.local_addr().expect("it is bound")).expect("it listens");
    let folder = std::env::temp_dir().join(format!("wsrt-sim-refused-{}", std::process::id()));
    let unix_listener = std::os::unix::net::UnixListener::bind(&folder).expect("the name is free");
    std::fs::remove_file(&folder).expect("it was made above");
    sim::run(1, |_| async {
        is_refused(TcpStream::from_std(stream), "TcpStream");
        is_refused(UnixStream::from_std(StdStream::pair().expect("two descriptors").0), "UnixStream");
        is_refused(UnixDatagram::from_std(StdDatagram::unbound().expect("a descriptor")), "UnixDatagram");
        is_refused(UnixListener::from_std(unix_listener), "UnixListener");
    });
}

#[test]
fn pipes_and_descriptors_are_refused_by_name() {
    sim::run(1, |_| async {
        is_refused(pipe::pipe(), "pipe::Sender");
        let (mut near, far) = StdStream::pair().expect("two descriptors");
        near.write_all(b"x").expect("there is room");
        is_refused(wsrt::io::unix::AsyncFd::new(OwnedFd::from(far)), "AsyncFd");
    });
}

/// The error comes before the program starts: it would have done its work otherwise.
#[test]
fn processes_are_refused_before_they_start() {
    let mark = std::env::temp_dir().join(format!("wsrt-sim-started-{}", std::process::id()));
    let path = mark.clone();
    sim::run(1, |_| async move {
        let touch = || {
            let mut command = Command::new("touch");
            command.arg(&path);
            command
        };
        is_refused(touch().spawn(), "process");
        is_refused(touch().status().await, "process");
        is_refused(touch().output().await, "process");
        // Time for one that has started in spite of it, and is killed.
        let mut sleeper = std::process::Command::new("sleep").arg("0.2").spawn().expect("std starts it");
        assert!(sleeper.wait().expect("it ends").success());
    });
    assert!(!mark.exists(), "no program has run");
}

/// Its handler would stay for as long as the process.
#[test]
fn signals_are_refused_before_their_handler_is_there() {
    sim::run(1, |_| async {
        is_refused(signal(SignalKind::hangup()), "signal");
        is_refused(wsrt::signal::ctrl_c().await, "signal");
    });
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask");
    let caught = u64::from_str_radix(caught.trim(), 16).expect("a number");
    let bit = |signal: i32| 1 << (signal - 1);
    assert_eq!(caught & (bit(1) | bit(2)), 0, "SIGHUP and SIGINT do as ever: {caught:x}");
}
