//! Unix datagrams: at paths, under abstract names, in pairs and from nowhere.
#![cfg(unix)]

use std::future::{Future, poll_fn};
use std::io::ErrorKind;
use std::net::Shutdown;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;
use tokio::io::ReadBuf;
use wsrt_reactor::context::{Delay, Services};
use wsrt_reactor::net::UnixDatagram;
use wsrt_reactor::net::unix::SocketAddr;
use wsrt_reactor_testing::{Directory, Runtime, block_on, run};

fn is_pending<F: Future>(future: F) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[test]
fn a_pair_exchanges_datagrams_whole() {
    run(async {
        let (near, far) = UnixDatagram::pair().unwrap();
        let mut buf = [0; 8];
        assert_eq!(near.send(b"one").await.unwrap(), 3);
        assert_eq!(near.try_send(b"two").unwrap(), 3);
        assert_eq!(poll_fn(|cx| near.poll_send(cx, b"three")).await.unwrap(), 5);
        assert_eq!(far.recv(&mut buf).await.unwrap(), 3);
        let (length, from) = far.recv_from(&mut buf).await.unwrap();
        assert_eq!((&buf[..length], from.is_unnamed()), (&b"two"[..], true));
        assert_eq!(far.peek(&mut buf).await.unwrap(), 5);
        let mut room = ReadBuf::new(&mut buf);
        assert!(poll_fn(|cx| far.poll_recv_from(cx, &mut room)).await.unwrap().is_unnamed());
        assert_eq!(room.filled(), b"three");
        assert_eq!(far.try_recv(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        let mut grown = Vec::with_capacity(8);
        near.send(b"four").await.unwrap();
        assert_eq!(far.recv_buf(&mut grown).await.unwrap(), 4);
        assert_eq!(grown, b"four");
        near.shutdown(Shutdown::Write).unwrap();
        assert_eq!(near.send(b"no").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    });
}

#[test]
fn datagrams_come_through_a_path_and_answers_go_back() {
    let directory = Directory::new();
    let (server_path, client_path) = (directory.path("server"), directory.path("client"));
    run(async {
        let server = UnixDatagram::bind(&server_path).unwrap();
        let client = UnixDatagram::bind(&client_path).unwrap();
        let mut buf = [0; 8];
        client.send_to(b"hello", &server_path).await.unwrap();
        let (length, from) = server.recv_from(&mut buf).await.unwrap();
        assert_eq!(from.as_pathname(), Some(&*client_path));
        assert_eq!(server.try_send_to(&buf[..length], from.as_pathname().unwrap()).unwrap(), 5);
        assert_eq!(client.recv(&mut buf).await.unwrap(), 5);
        poll_fn(|cx| client.poll_send_to(cx, b"again", &server_path)).await.unwrap();
        assert_eq!(server.peek_sender().await.unwrap().as_pathname(), Some(&*client_path));
        server.recv(&mut buf).await.unwrap();

        let nameless = UnixDatagram::unbound().unwrap();
        nameless.connect(&server_path).unwrap();
        assert_eq!(nameless.peer_addr().unwrap().as_pathname(), Some(&*server_path));
        nameless.send(b"who?").await.unwrap();
        let (_, from) = server.recv_from(&mut buf).await.unwrap();
        assert!(from.is_unnamed());
        let error = server.send_to_addr(b"you", &from).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "there is nowhere to send to");

        let missing = directory.path("missing");
        let error = client.connect(&missing).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
        let error = UnixDatagram::bind(&server_path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn datagrams_come_through_an_abstract_name() {
    run(async {
        let [server_name, client_name] = ["server", "client"]
            .map(|name| SocketAddr::from_abstract_name(format!("wsrt-{name}-{}", std::process::id())).unwrap());
        let server = UnixDatagram::bind_addr(&server_name).unwrap();
        let client = UnixDatagram::bind_addr(&client_name).unwrap();
        client.send_to_addr(b"hello", &server_name).await.unwrap();
        let mut buf = [0; 8];
        let (_, from) = server.recv_from(&mut buf).await.unwrap();
        assert_eq!(from.as_abstract_name(), client_name.as_abstract_name());
        server.connect_addr(&from).unwrap();
        server.send(b"bye").await.unwrap();
        assert_eq!(client.recv(&mut buf).await.unwrap(), 3);
    });
}

#[test]
fn a_connected_sender_waits_for_room_and_nothing_is_lost() {
    const COUNT: u32 = 1000;
    let runtime = Runtime::new().unwrap();
    let (near, far) = runtime.block_on(async { UnixDatagram::pair().unwrap() });
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..COUNT {
                block_on(near.send(&number.to_ne_bytes())).unwrap();
            }
        });
        for number in 0..COUNT {
            let mut buf = [0; 4];
            assert_eq!(block_on(far.recv(&mut buf)).unwrap(), 4);
            assert_eq!(u32::from_ne_bytes(buf), number);
        }
    });
}

/// A receiver under an abstract name, the sender's datagrams filling its queue.
#[cfg(target_os = "linux")]
fn full(name: &str, sender: &UnixDatagram) -> (UnixDatagram, String) {
    let name = format!("\0wsrt-datagrams-{name}-{}", std::process::id());
    let receiver = UnixDatagram::bind(&name).unwrap();
    let error = std::iter::repeat_with(|| sender.try_send_to(b"one more", &name)).find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    (receiver, name)
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_receiver_holds_up_no_sender_to_others() {
    run(async {
        let sender = UnixDatagram::unbound().unwrap();
        let (_full, of_full) = full("held-up", &sender);
        let of_other = format!("{of_full}-other");
        let other = UnixDatagram::bind(&of_other).unwrap();
        assert!(is_pending(sender.send_to(b"wait", &of_full)));
        assert_eq!(sender.try_send_to(b"by trying", &of_other).unwrap(), 9);
        assert!(is_pending(sender.send_to(b"wait", &of_full)));
        assert_eq!(poll_fn(|cx| sender.poll_send_to(cx, b"by polling", &of_other)).await.unwrap(), 10);
        assert!(is_pending(sender.send_to(b"wait", &of_full)));
        assert_eq!(sender.send_to(b"by waiting", &of_other).await.unwrap(), 10);
        let mut buf = [0; 16];
        for length in [9, 10, 10] {
            assert_eq!(other.recv(&mut buf).await.unwrap(), length);
        }
    });
}

/// Two senders that the OS does not wake: neither is connected, nor has datagrams in the
/// queue.
#[cfg(target_os = "linux")]
#[test]
fn unconnected_senders_go_on_when_a_full_receiver_reads() {
    run(async {
        let (receiver, name) = full("not-connected", &UnixDatagram::unbound().unwrap());
        let sender = UnixDatagram::unbound().unwrap();
        // Events are reported in order: once this one has been, so has the sender's first, which
        // says that it may be tried.
        let (one, other) = UnixDatagram::pair().unwrap();
        assert_eq!(one.try_recv(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
        other.send(b"!").await.unwrap();
        one.readable().await.unwrap();
        let mut sending = pin!(sender.send_to(b"at last", &name));
        poll_fn(|cx| {
            assert!(sending.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        let mut buf = [0; 16];
        receiver.recv(&mut buf).await.unwrap();
        assert_eq!(sending.await.unwrap(), 7);
        while receiver.recv(&mut buf).await.unwrap() != 7 {}
    });
}

/// A failed send is an event itself on Linux: its memory is given back, and so there is room.
#[cfg(target_os = "linux")]
#[test]
fn a_sender_whose_receiver_stays_full_does_not_spin() {
    let runtime = Runtime::new().unwrap();
    runtime.block_on_with(Arc::new(NoTime), async {
        let (_receiver, name) = full("spin", &UnixDatagram::unbound().unwrap());
        let (sender, (one, other)) = (UnixDatagram::unbound().unwrap(), UnixDatagram::pair().unwrap());
        let mut sending = pin!(sender.send_to(b"at last", &name));
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut polls = 0;
        woken.0.store(true, SeqCst);
        for _ in 0..20 {
            if woken.0.swap(false, SeqCst) {
                polls += 1;
                assert!(sending.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            }
            // Events are reported in order: once this one has been, so has the send's.
            assert_eq!(one.try_recv(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
            other.send(b"!").await.unwrap();
            assert_eq!(one.recv(&mut [0; 1]).await.unwrap(), 1);
        }
        assert!(polls < 10, "{polls} polls in 20 turns");
    });
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

/// Delays that never end.
struct NoTime;

impl Services for NoTime {
    fn offload(&self, _: Box<dyn FnOnce() + Send>) {
        unreachable!("nothing blocks here");
    }

    fn delay(&self, _: Duration) -> Delay {
        Box::pin(std::future::pending())
    }
}
