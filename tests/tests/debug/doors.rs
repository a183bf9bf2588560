//! The server lets in whom it should, and others only by an explicit name.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use wsrt_tests::{LIMIT, within_a_minute};

use crate::client::{Reply, connect, get, request, send, serve};

#[test]
fn an_address_that_others_reach_takes_an_explicit_name() {
    let refused = wsrt_debug::serve("0.0.0.0:0").expect_err("anyone could connect");
    assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    assert!(refused.to_string().contains("call `serve_anyone`"), "{refused}");
    let server = wsrt_debug::serve_anyone("0.0.0.0:0").expect("a port is free");
    let address = server.local_addr().expect("it has a port");
    let reply = send(connect(([127, 0, 0, 1], address.port()).into()), "GET / HTTP/1.0\r\nHost: example.org\r\n\r\n");
    assert_eq!(reply.status, 200);
}

#[test]
fn a_site_that_means_this_machine_gets_no_page() {
    let (_server, address) = serve();
    let reply = send(connect(address), "GET /tasks HTTP/1.1\r\nHost: rebound.example:6670\r\n\r\n");
    assert_eq!((reply.status, reply.text().starts_with("this server answers to an IP address")), (403, true));
}

#[test]
fn a_connection_carries_many_requests_and_heads() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let mut stream = connect(address);
        let keep = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20);
        stream.write_all(keep.as_bytes()).expect("the server reads");
        let head = "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("the server reads");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("the server closes");
        let text = String::from_utf8(bytes).expect("it is text");
        assert_eq!((text.matches("HTTP/1.1 404 ").count(), text.matches("HTTP/1.1 200 ").count()), (20, 1));
        assert!(text.ends_with("connection: close\r\n\r\n"), "a HEAD has no body: {text}");
    });
}

#[test]
fn silent_connections_give_way_to_others() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let silent: Vec<TcpStream> = (0..300).map(|_| connect(address)).collect();
        let kept = || request("/").replace("close", "keep-alive");
        let mut good = connect(address);
        good.write_all(kept().as_bytes()).expect("the server reads");
        good.read_exact(&mut [0; 1000]).expect("the server answers");
        assert_eq!(get(address, "/").status, 200);
        // The oldest of them was closed for the newer ones.
        let mut oldest = &silent[0];
        assert!(matches!(oldest.read(&mut [0; 1]), Ok(0) | Err(_)));
        // And not the connection that has got an answer.
        good.write_all(request("/nothing").as_bytes()).expect("the server reads");
        let mut rest = Vec::new();
        good.read_to_end(&mut rest).expect("the server answers, and closes");
        assert!(String::from_utf8_lossy(&rest).contains("HTTP/1.1 404 "));
    });
}

#[test]
fn a_server_that_is_dropped_is_gone() {
    within_a_minute(|| {
        let (server, address) = serve();
        let mut open = connect(address);
        assert_eq!(get(address, "/").status, 200);
        drop(server);
        assert!(matches!(open.read(&mut [0; 1]), Ok(0) | Err(_)));
        assert!(TcpStream::connect(address).is_err());
    });
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;

    use wsrt_debug::Server;
    use wsrt_tests::Directory;

    use super::{ErrorKind, LIMIT, Reply, request, send, within_a_minute};

    fn serve(path: &Path) -> std::io::Result<Server> {
        wsrt_debug::serve(&format!("unix:{}", path.display()))
    }

    fn get(path: &Path) -> Reply {
        let stream = UnixStream::connect(path).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
        send(stream, &request("/"))
    }

    #[test]
    fn a_socket_is_private_and_goes_with_its_server() {
        within_a_minute(|| {
            let folder = Directory::new();
            let path = folder.path("debug.sock");
            let server = serve(&path).expect("the folder is ours");
            assert_eq!(server.local_addr(), None);
            let mode = fs::metadata(&path).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            assert_eq!(get(&path).status, 200);
            assert_eq!(serve(&path).map(drop).map_err(|error| error.kind()), Err(ErrorKind::AddrInUse));
            assert_eq!(get(&path).status, 200, "the first server goes on");
            drop(server);
            assert_eq!(fs::read_dir(folder.path("")).expect("it is there").count(), 0);
        });
    }

    #[test]
    fn a_left_socket_is_replaced_and_a_file_is_not() {
        within_a_minute(|| {
            let folder = Directory::new();
            let path = folder.path("debug.sock");
            drop(UnixListener::bind(&path).expect("the folder is ours"));
            let server = serve(&path).expect("nobody listens there");
            assert_eq!(get(&path).status, 200);
            drop(server);
            fs::write(&path, "precious").expect("the folder is ours");
            assert_eq!(serve(&path).map(drop).map_err(|error| error.kind()), Err(ErrorKind::AlreadyExists));
            assert_eq!(fs::read(&path).expect("it is there"), b"precious");
        });
    }
}
