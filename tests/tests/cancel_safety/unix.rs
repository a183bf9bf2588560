//! Sockets, pipes and descriptors of Unix: neither connections, datagrams nor readiness are lost.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream as StdStream;

use wsrt::io::Interest;
use wsrt::io::unix::AsyncFd;
use wsrt::net::{UnixDatagram, UnixListener, UnixStream, unix::pipe};
use wsrt::task::JoinHandle;
use wsrt::test::cancel_at_each_await;
use wsrt_tests::Directory;

use crate::{later, run};

/// Of `UnixListener::accept`.
#[test]
fn no_connection_is_lost() {
    type State = (UnixListener, Directory, u32);
    run(async || {
        let make = async || {
            let directory = Directory::new();
            let path = directory.path("socket");
            let listener = UnixListener::bind(&path).expect("it is free");
            wsrt::spawn(async move {
                for _ in 0..3 {
                    later().await;
                    drop(UnixStream::connect(&path).await.expect("it listens"));
                }
            });
            (listener, directory, 0)
        };
        let accept = async |(listener, _, accepted): &mut State| {
            while *accepted < 3 {
                listener.accept().await.expect("it listens");
                *accepted += 1;
            }
        };
        // It hangs if a connection was lost.
        cancel_at_each_await(make, accept, async |mut state: State, _| accept(&mut state).await).await;
    });
}

/// Of `UnixDatagram::send_to` and `UnixDatagram::send_to_addr`, which wait while the receiver's
/// queue is full.
#[test]
fn a_datagram_is_sent_once_or_not_at_all() {
    type State = (UnixDatagram, u32, JoinHandle<u32>, Directory);
    async fn sends(send: impl AsyncFn(&UnixDatagram, &Directory)) {
        let make = async || {
            let directory = Directory::new();
            let receiver = UnixDatagram::bind(directory.path("socket")).expect("it is free");
            let (sender, mut sent) = (UnixDatagram::unbound().expect("a socket"), 0);
            while sender.try_send_to(b"x", directory.path("socket")).is_ok() {
                sent += 1;
            }
            let received = wsrt::spawn(async move {
                later().await;
                let (mut received, mut buffer) = (0, [0; 8]);
                while receiver.recv(&mut buffer).await.expect("it is bound") == 1 {
                    received += 1;
                }
                received
            });
            (sender, sent, received, directory)
        };
        let operation = async |(sender, sent, _, directory): &mut State| {
            send(sender, directory).await;
            *sent += 1;
        };
        let check = async |(sender, sent, received, directory): State, _| {
            sender.send_to(b"last", directory.path("socket")).await.expect("it is there");
            assert_eq!(received.await.expect("no panic"), sent);
        };
        cancel_at_each_await(make, operation, check).await;
    }
    run(async || {
        sends(async |sender, directory| {
            assert_eq!(sender.send_to(b"x", directory.path("socket")).await.expect("it is there"), 1);
        })
        .await;
        sends(async |sender, directory| {
            let named = UnixDatagram::unbound().expect("a socket");
            named.connect(directory.path("socket")).expect("it is there");
            let address = named.peer_addr().expect("it is connected");
            assert_eq!(sender.send_to_addr(b"x", &address).await.expect("it is there"), 1);
        })
        .await;
    });
}

/// Of `pipe/ends::ready` and `pipe/ends::async_io`.
#[test]
fn a_pipe_loses_no_readiness() {
    type State = (pipe::Receiver, Vec<u8>);
    run(async || {
        let make = async || {
            let (mut sender, receiver) = pipe::pipe().expect("a pipe");
            wsrt::spawn(async move {
                later().await;
                sender.write_all(b"text").await.expect("the receiver is there");
            });
            (receiver, Vec::new())
        };
        let check = async |(mut receiver, mut bytes): State, _| {
            receiver.read_to_end(&mut bytes).await.expect("it is open");
            assert_eq!(bytes, b"text");
        };
        let operation = async |(receiver, _): &mut State| drop(receiver.ready(Interest::READABLE).await);
        cancel_at_each_await(make, operation, check).await;
        let operation = async |(receiver, bytes): &mut State| {
            let mut buffer = [0; 8];
            let count = receiver.async_io(|| receiver.try_read(&mut buffer)).await.expect("it is open");
            bytes.extend(&buffer[..count]);
        };
        cancel_at_each_await(make, operation, check).await;
    });
}

/// A descriptor to which a peer writes, or one whose buffer is full and from which a peer reads.
async fn descriptor(is_full: bool) -> AsyncFd<StdStream> {
    let (ours, theirs) = StdStream::pair().expect("two sockets");
    ours.set_nonblocking(true).expect("it can be set");
    let descriptor = AsyncFd::new(ours).expect("it can be polled");
    if is_full {
        let mut guard = descriptor.writable().await.expect("it is open");
        while guard.try_io(|stream| stream.get_ref().write(&[0; 4096])).is_ok() {}
    }
    wsrt::spawn(async move {
        later().await;
        let (mut reader, mut writer) = (&theirs, &theirs);
        if is_full {
            theirs.set_nonblocking(true).expect("it can be set");
            while reader.read(&mut [0; 1 << 16]).is_ok() {}
        } else {
            writer.write_all(b"text").expect("there is room");
        }
        std::future::pending::<()>().await;
    });
    descriptor
}

/// Of `AsyncFd::ready`, `AsyncFd::ready_mut`, `AsyncFd::readable`, `AsyncFd::readable_mut`,
/// `AsyncFd::writable`, `AsyncFd::writable_mut`, `AsyncFd::async_io` and `AsyncFd::async_io_mut`.
#[test]
fn a_descriptor_loses_no_readiness() {
    async fn waits(is_full: bool, wait: impl AsyncFn(&mut AsyncFd<StdStream>)) {
        let make = async || descriptor(is_full).await;
        let check = async |mut descriptor: AsyncFd<StdStream>, _| {
            if is_full {
                drop(descriptor.writable_mut().await.expect("it is open"));
                return;
            }
            drop(descriptor.readable_mut().await.expect("it is open"));
            let mut buffer = [0; 8];
            assert!(matches!(descriptor.get_mut().read(&mut buffer), Ok(4)));
        };
        cancel_at_each_await(make, async |descriptor: &mut AsyncFd<_>| wait(descriptor).await, check).await;
    }
    run(async || {
        const OPEN: &str = "it is open";
        waits(false, async |descriptor| drop(descriptor.ready(Interest::READABLE).await.expect(OPEN))).await;
        waits(false, async |descriptor| drop(descriptor.ready_mut(Interest::READABLE).await.expect(OPEN))).await;
        waits(false, async |descriptor| drop(descriptor.readable().await.expect(OPEN))).await;
        waits(false, async |descriptor| drop(descriptor.readable_mut().await.expect(OPEN))).await;
        waits(true, async |descriptor| drop(descriptor.writable().await.expect(OPEN))).await;
        waits(true, async |descriptor| drop(descriptor.writable_mut().await.expect(OPEN))).await;
        // It looks, and takes nothing.
        let look = |stream: &StdStream| {
            let mut buffer = [0; 8];
            // SAFETY: the buffer is as long as the call is told, and the descriptor is open.
            let count = unsafe {
                libc::recv(std::os::fd::AsRawFd::as_raw_fd(stream), buffer.as_mut_ptr().cast(), 8, libc::MSG_PEEK)
            };
            if count < 0 { Err(io::Error::last_os_error()) } else { Ok(count) }
        };
        waits(false, async |descriptor| {
            assert_eq!(descriptor.async_io(Interest::READABLE, look).await.expect(OPEN), 4);
        })
        .await;
        waits(false, async |descriptor| {
            let look = |stream: &mut StdStream| look(stream);
            assert_eq!(descriptor.async_io_mut(Interest::READABLE, look).await.expect(OPEN), 4);
        })
        .await;
    });
}
