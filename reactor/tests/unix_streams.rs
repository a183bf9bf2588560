//! Unix streams: they behave as TCP's do, at paths, under abstract names, and in pairs.
#![cfg(unix)]

use std::future::poll_fn;
use std::io::ErrorKind;
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream as StdStream;
use std::task::{Context, Waker};
use tokio::io::ReadBuf;
use wsrt_reactor::net::unix::SocketAddr;
use wsrt_reactor::net::{UnixListener, UnixStream};
use wsrt_reactor_testing::{Directory, Runtime, block_on, run};

#[test]
fn clients_come_through_a_path() {
    let directory = Directory::new();
    run(async {
        let listener = UnixListener::bind(directory.path("socket")).unwrap();
        assert_eq!(listener.local_addr().unwrap().as_pathname(), Some(&*directory.path("socket")));
        let mut client = UnixStream::connect(directory.path("socket")).await.unwrap();
        assert_eq!(client.peer_addr().unwrap().as_pathname(), Some(&*directory.path("socket")));
        let (mut served, peer) = listener.accept().await.unwrap();
        assert!(peer.is_unnamed());
        client.write_all(b"hello").await.unwrap();
        client.shutdown().await.unwrap();
        let mut heard = Vec::new();
        served.read_to_end(&mut heard).await.unwrap();
        assert_eq!(heard, b"hello");
        served.write_all(b"bye").await.unwrap();
        drop(served);
        let mut heard = String::new();
        client.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, "bye");
        client.shutdown().await.expect("the end of what has ended is no error");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn clients_come_through_an_abstract_name_however_it_is_written() {
    run(async {
        let name = format!("wsrt-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let listener = UnixListener::bind_addr(&address).unwrap();
        UnixStream::connect_addr(&address).await.unwrap();
        let (accepted, _) = poll_fn(|cx| listener.poll_accept(cx)).await.unwrap();
        assert_eq!(accepted.local_addr().unwrap().as_abstract_name(), Some(name.as_bytes()));
        UnixStream::connect(format!("\0{name}")).await.unwrap();
        listener.accept().await.unwrap();

        drop(listener);
        let listener = UnixListener::bind(format!("\0{name}")).expect("the name is gone with the listener");
        assert_eq!(listener.local_addr().unwrap().as_abstract_name(), Some(name.as_bytes()));
    });
}

#[test]
fn errors_are_the_systems_and_bad_paths_are_named() {
    let directory = Directory::new();
    run(async {
        let path = directory.path("socket");
        let error = UnixStream::connect(&path).await.unwrap_err();
        assert_eq!((error.kind(), error.raw_os_error()), (ErrorKind::NotFound, Some(libc::ENOENT)));
        drop(UnixListener::bind(&path).unwrap());
        let error = UnixStream::connect(&path).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
        let error = UnixListener::bind(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse, "the file is still there");
        assert_eq!(error.raw_os_error(), Some(libc::EADDRINUSE));
        let error = UnixStream::connect("x".repeat(500)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(&"x".repeat(500)), "{error}");
    });
}

#[test]
fn the_peer_s_credentials_are_known() {
    run(async {
        let (near, far) = UnixStream::pair().unwrap();
        let peer = near.peer_cred().unwrap();
        assert_eq!(peer, far.peer_cred().unwrap());
        // SAFETY: both calls only ask, and cannot fail.
        assert_eq!(peer.uid(), unsafe { libc::geteuid() });
        // SAFETY: as above.
        assert_eq!(peer.gid(), unsafe { libc::getegid() });
        if cfg!(target_os = "linux") {
            assert_eq!(peer.pid().unwrap() as u32, std::process::id());
        }
    });
}

#[test]
fn halves_go_their_ways_and_come_together_again() {
    run(async {
        let (near, far) = UnixStream::pair().unwrap();
        let (mut read, mut write) = near.into_split();
        let (other_read, other_write) = far.into_split();
        assert!(read.as_ref().peer_addr().unwrap().is_unnamed());
        let error = read.reunite(other_write).unwrap_err();
        assert!(error.to_string().contains("different Unix streams"), "{error}");
        let other_write = error.1;
        read = error.0;
        let mut far = other_read.reunite(other_write).unwrap();

        write.write_all(b"ping").await.unwrap();
        let mut heard = [0; 4];
        far.read_exact(&mut heard).await.unwrap();
        far.write_all(b"pong").await.unwrap();
        read.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"pong");
        drop(write);
        assert_eq!(far.read(&mut heard).await.unwrap(), 0, "the write half's end is the stream's");

        far.write_all(b"more").await.unwrap();
        let (mut far_read, mut far_write) = far.split();
        far_write.shutdown().await.unwrap();
        let mut rest = String::new();
        read.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "more");
        assert_eq!(far_read.read(&mut heard).await.unwrap(), 0);
    });
}

#[test]
fn what_was_peeked_at_is_still_there() {
    run(async {
        let (mut near, mut far) = UnixStream::pair().unwrap();
        near.write_all(b"look").await.unwrap();
        let mut buf = [0; 8];
        assert_eq!(far.peek(&mut buf).await.unwrap(), 4);
        let mut room = [const { MaybeUninit::uninit() }; 8];
        let mut room = ReadBuf::uninit(&mut room);
        assert_eq!(poll_fn(|cx| far.poll_peek(cx, &mut room)).await.unwrap(), 4);
        assert_eq!(room.filled(), b"look");
        assert_eq!(far.read(&mut buf).await.unwrap(), 4);
    });
}

#[test]
fn a_writer_waits_for_a_slow_reader_and_keeps_order() {
    const LENGTH: usize = 4 << 20;
    let runtime = Runtime::new().unwrap();
    let (mut near, mut far) = runtime.block_on(async { UnixStream::pair().unwrap() });
    let sent: Vec<u8> = (0..LENGTH).map(|at| (at ^ (at >> 8) ^ (at >> 16)) as u8).collect();
    std::thread::scope(|scope| {
        let sent = &sent;
        scope.spawn(move || {
            block_on(near.write_all(sent)).unwrap();
        });
        let mut received = Vec::new();
        let mut piece = [0; 1009];
        while received.len() < LENGTH {
            let count = block_on(far.read(&mut piece)).unwrap();
            received.extend_from_slice(&piece[..count]);
        }
        assert!(received == *sent, "the bytes differ");
    });
}

/// A read stops behind a message that came with descriptors, although more bytes are there, and
/// no event reports them again. So a short read must not be taken for an empty socket.
#[test]
fn bytes_behind_a_message_with_descriptors_are_not_forgotten() {
    run(async {
        let (near, mut far) = UnixStream::pair().unwrap();
        send_with_descriptor(&near, b"first");
        near.try_write(b"second").unwrap();
        let mut cx = Context::from_waker(Waker::noop());
        // Both have arrived, and their events have been reported.
        let mut buf = [0; 64];
        far.readable().await.unwrap();
        while far.peek(&mut buf).await.unwrap() == 0 {}
        assert_eq!(far.read(&mut buf).await.unwrap(), 5, "the first message ends here");
        assert!(far.poll_read_ready(&mut cx).is_ready(), "a short read proves nothing here");
        assert_eq!(far.read(&mut buf).await.unwrap(), 6);
        assert_eq!(&buf[..6], b"second");
    });
}

/// Sends `bytes` and, beside them, a descriptor.
fn send_with_descriptor(stream: &UnixStream, bytes: &[u8]) {
    #[repr(C, align(8))]
    struct Control([u8; 64]);
    let mut control = Control([0; 64]);
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: all of a `msghdr` may be zero.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    let payload = size_of::<libc::c_int>() as libc::c_uint;
    // SAFETY: only computes.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(payload) } as _;
    // SAFETY: `message` holds a control buffer with room for one header.
    let header = unsafe { libc::CMSG_FIRSTHDR(&message) };
    // SAFETY: only computes.
    let length = unsafe { libc::CMSG_LEN(payload) };
    // SAFETY: `header` points into `control`, which is aligned for it and large enough.
    let header = unsafe { &mut *header };
    header.cmsg_level = libc::SOL_SOCKET;
    header.cmsg_type = libc::SCM_RIGHTS;
    header.cmsg_len = length as _;
    // SAFETY: `header` is one of a control message with room for a descriptor.
    let data: *mut libc::c_int = unsafe { libc::CMSG_DATA(header) }.cast();
    // SAFETY: as above; it need not be aligned.
    unsafe { data.write_unaligned(stream.as_raw_fd()) };
    // SAFETY: everything that `message` points to is alive.
    let sent = unsafe { libc::sendmsg(stream.as_fd().as_raw_fd(), &message, 0) };
    assert_eq!(sent, bytes.len() as isize, "{}", std::io::Error::last_os_error());
}

#[test]
fn a_peer_that_is_gone_fails_the_writer() {
    run(async {
        let (mut near, far) = UnixStream::pair().unwrap();
        drop(far);
        let error = near.write_all(b"anybody?").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        let (near, mut far) = UnixStream::pair().unwrap();
        near.shutdown_with(Shutdown::Both).unwrap();
        assert_eq!(far.read(&mut [0; 1]).await.unwrap(), 0);
    });
}

#[test]
fn standard_streams_become_ours_and_ours_become_standard() {
    run(async {
        let (near, far) = StdStream::pair().unwrap();
        let mut near = UnixStream::from_std(near).unwrap();
        let far = UnixStream::try_from(far).unwrap();
        near.write_all(b"hello").await.unwrap();
        far.readable().await.unwrap();
        let far = far.into_std().unwrap();
        let mut buf = [0; 8];
        assert_eq!(std::io::Read::read(&mut &far, &mut buf).unwrap(), 5);
        assert_eq!(std::io::Read::read(&mut &far, &mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
    });
}
