//! Unix sockets that are bound first, and become what they are for then.
#![cfg(unix)]

use std::io::ErrorKind;
use std::os::fd::{FromRawFd, IntoRawFd};
use wsrt_reactor::net::unix::SocketAddr;
use wsrt_reactor::net::{UnixDatagram, UnixSocket};
use wsrt_reactor_testing::{Directory, run};

#[test]
fn a_listener_knows_a_bound_client_by_its_path() {
    let directory = Directory::new();
    let (to, from) = (directory.path("to"), directory.path("from"));
    run(async {
        let socket = UnixSocket::new_stream().unwrap();
        socket.bind(&to).unwrap();
        let listener = socket.listen(8).unwrap();
        let socket = UnixSocket::new_stream().unwrap();
        socket.bind(&from).unwrap();
        let mut client = socket.connect(&to).await.unwrap();
        let (mut served, address) = listener.accept().await.unwrap();
        assert_eq!(address.as_pathname(), Some(&*from));
        client.write_all(b"hello").await.unwrap();
        let mut heard = [0; 5];
        served.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"hello");
        let standard = std::os::unix::net::SocketAddr::from(address);
        assert_eq!(SocketAddr::from(standard).as_pathname(), Some(&*from));
    });
}

#[test]
fn a_datagram_socket_made_from_a_descriptor_receives() {
    let directory = Directory::new();
    let path = directory.path("socket");
    run(async {
        let descriptor = UnixSocket::new_datagram().unwrap().into_raw_fd();
        // SAFETY: the descriptor was the socket's, which has given it away.
        let socket = unsafe { UnixSocket::from_raw_fd(descriptor) };
        socket.bind(&path).unwrap();
        let server = socket.datagram().unwrap();
        UnixDatagram::unbound().unwrap().send_to(b"hello", &path).await.unwrap();
        assert_eq!(server.recv(&mut [0; 8]).await.unwrap(), 5);
    });
}

#[test]
fn a_socket_of_the_other_kind_is_refused() {
    let directory = Directory::new();
    let path = directory.path("socket");
    run(async {
        let datagram = || UnixSocket::new_datagram().unwrap();
        assert_eq!(datagram().listen(1).unwrap_err().kind(), ErrorKind::Other);
        assert_eq!(datagram().connect(&path).await.unwrap_err().kind(), ErrorKind::Other);
        assert_eq!(UnixSocket::new_stream().unwrap().datagram().unwrap_err().kind(), ErrorKind::Other);
        let nowhere = UnixSocket::new_stream().unwrap().connect(&path).await;
        assert_eq!(nowhere.unwrap_err().kind(), ErrorKind::NotFound);
    });
}
