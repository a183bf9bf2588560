//! Out of file descriptors: accept reports it, and serves again once some are free. Alone in its
//! process: all tests share the limit.
#![cfg(unix)]

use std::fs::File;
use std::io::{self, ErrorKind};
use std::net::TcpStream as StdStream;
use wsrt_reactor::net::TcpListener;
use wsrt_reactor_testing::{Runtime, block_on};

/// Opens files until the system refuses.
fn exhaust() -> (Vec<File>, io::Error) {
    let mut files = Vec::new();
    loop {
        match File::open("/dev/null") {
            Ok(file) => files.push(file),
            Err(error) => return (files, error),
        }
    }
}

fn limit_descriptors(count: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: count, rlim_max: count };
    // SAFETY: `limit` is a valid rlimit that outlives the call.
    let outcome = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
    assert_eq!(outcome, 0, "{}", io::Error::last_os_error());
}

#[test]
fn accept_reports_exhausted_descriptors_and_goes_on_later() {
    limit_descriptors(64);
    let runtime = Runtime::new().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let client = StdStream::connect(listener.local_addr().unwrap()).unwrap();

    let (mut files, refusal) = exhaust();
    assert_eq!(refusal.raw_os_error(), Some(libc::EMFILE));
    for _ in 0..3 {
        // Each try answers at once: the connection still waits, and so the listener still counts as
        // ready.
        let error = block_on(listener.accept()).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EMFILE), "the system's error, as it is");
        assert_ne!(error.kind(), ErrorKind::WouldBlock);
    }

    files.truncate(files.len() - 2);
    let (stream, peer) = block_on(listener.accept()).unwrap();
    assert_eq!(peer, client.local_addr().unwrap());
    assert_eq!(stream.peer_addr().unwrap(), peer);
}
