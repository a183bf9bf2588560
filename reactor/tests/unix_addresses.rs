//! Addresses of peers: what came from them arrives, whatever their address is.
#![cfg(target_os = "linux")]

use std::io;
use std::mem::size_of;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use socket2::{Domain, SockAddr, Socket, Type};
use wsrt_reactor::net::{UnixDatagram, UnixListener};
use wsrt_reactor_testing::{Directory, run};

/// A socket of the system's at a path that takes all the bytes of an address, without a zero byte
/// at its end.
fn at_longest_path(directory: &Directory, kind: Type) -> (Socket, PathBuf) {
    let socket = Socket::new(Domain::UNIX, kind, None).unwrap();
    // SAFETY: it is plain numbers, for which zeros are valid.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::sa_family_t::try_from(libc::AF_UNIX).unwrap();
    let rest = address.sun_path.len() - directory.root().as_os_str().len() - 1;
    let path = directory.path(&"x".repeat(rest));
    for (place, byte) in address.sun_path.iter_mut().zip(path.as_os_str().as_bytes()) {
        *place = libc::c_char::try_from(*byte).unwrap();
    }
    let length = libc::socklen_t::try_from(size_of::<libc::sockaddr_un>()).unwrap();
    // SAFETY: the address is of this length.
    let answer = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
    assert_eq!(answer, 0, "{}", io::Error::last_os_error());
    (socket, path)
}

#[test]
fn a_datagram_from_the_longest_path_is_not_lost() {
    let directory = Directory::new();
    run(async {
        let receiver = UnixDatagram::bind(directory.path("here")).unwrap();
        let (sender, path) = at_longest_path(&directory, Type::DGRAM);
        sender.connect(&SockAddr::unix(directory.path("here")).unwrap()).unwrap();
        let mut buf = [0; 8];
        sender.send(b"one").unwrap();
        let (length, from) = receiver.recv_from(&mut buf).await.unwrap();
        assert_eq!((&buf[..length], from.is_unnamed()), (&b"one"[..], true));
        sender.send(b"four").unwrap();
        assert_eq!(receiver.peek_from(&mut buf).await.unwrap().0, 4);
        assert_eq!(receiver.try_recv_from(&mut buf).unwrap().0, 4);
        assert!(path.exists());
    });
}

#[test]
fn a_client_at_the_longest_path_is_accepted() {
    let directory = Directory::new();
    run(async {
        let listener = UnixListener::bind(directory.path("here")).unwrap();
        let (client, path) = at_longest_path(&directory, Type::STREAM);
        client.connect(&SockAddr::unix(directory.path("here")).unwrap()).unwrap();
        let (mut served, peer) = listener.accept().await.unwrap();
        assert!(peer.is_unnamed());
        assert_eq!(served.peer_addr().unwrap().as_pathname(), Some(&*path), "as by std");
        client.send(b"hello").unwrap();
        let mut buf = [0; 5];
        served.read_exact(&mut buf).await.unwrap();
        assert_eq!(&buf, b"hello");
        let blocks = served.into_std().unwrap();
        let error = io::Read::read(&mut &blocks, &mut buf).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "what was accepted does not block");
    });
}
