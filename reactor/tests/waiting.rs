//! Waiting tasks are woken: many at once, the one that is left when others go, and all at the end.

use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use tokio::io::{AsyncRead, ReadBuf};
use wsrt_reactor::net::{TcpListener, TcpStream};
use wsrt_reactor::{Evented, Interest};
use wsrt_reactor_testing::{Runtime, block_on, run};

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    let (server, _) = listener.accept().await?;
    Ok((client, server))
}

/// Makes the socket known to be drained, so that the next look has to wait. Once is not enough when
/// the event for room to write comes in between: a proof from before an event proves nothing after
/// it.
fn drain(stream: &TcpStream) {
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        assert_eq!(stream.try_read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
        if stream.poll_read_ready(&mut cx).is_pending() {
            return;
        }
    }
}

/// Polls `future` once, sends a message to `waiting`, and continues to its end.
async fn announced<F: Future>(future: F, waiting: mpsc::Sender<()>) -> F::Output {
    let mut future = pin!(future);
    let mut waiting = Some(waiting);
    poll_fn(|cx| {
        let answer = future.as_mut().poll(cx);
        if let Some(waiting) = waiting.take() {
            assert!(answer.is_pending(), "there is nothing to be ready for yet");
            waiting.send(()).unwrap();
        }
        answer
    })
    .await
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Count {
    fn wakes(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[test]
fn one_event_wakes_every_waiter_of_its_direction() {
    const WAITERS: usize = 12;
    let runtime = Runtime::new().unwrap();
    let (mut client, server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    thread::scope(|scope| {
        let (waiting, all_wait) = mpsc::channel();
        for waiter in 0..WAITERS {
            let (waiting, server) = (waiting.clone(), &server);
            scope.spawn(move || {
                // Futures and poll functions alike.
                match waiter % 2 {
                    0 => block_on(announced(server.readable(), waiting)).unwrap(),
                    _ => block_on(announced(poll_fn(|cx| server.poll_read_ready(cx)), waiting)).unwrap(),
                }
            });
        }
        (0..WAITERS).for_each(|_| all_wait.recv().unwrap());
        block_on(client.write_all(b"x")).unwrap();
    });
}

#[test]
fn as_many_acceptors_get_as_many_connections() {
    const ACCEPTORS: usize = 8;
    let runtime = Runtime::new().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        for acceptor in 0..ACCEPTORS {
            let listener = &listener;
            scope.spawn(move || match acceptor % 2 {
                0 => block_on(listener.accept()).map(drop).unwrap(),
                _ => block_on(poll_fn(|cx| listener.poll_accept(cx))).map(drop).unwrap(),
            });
        }
        let clients: Vec<_> = (0..ACCEPTORS).map(|_| runtime.block_on(TcpStream::connect(address)).unwrap()).collect();
        drop(clients);
    });
}

#[test]
fn a_task_that_polls_again_and_again_is_woken_once() {
    let runtime = Runtime::new().unwrap();
    let (mut client, server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut cx = Context::from_waker(&waker);
    for _ in 0..10 {
        assert!(server.poll_read_ready(&mut cx).is_pending());
    }
    assert_eq!(Arc::strong_count(&count), 3, "ours, the waker's, and one left with the socket");
    block_on(client.write_all(b"x")).unwrap();
    // This waiter came last, so the others have been collected when it is woken.
    block_on(server.readable()).unwrap();
    drop(runtime);
    assert_eq!(count.wakes(), 1);
}

#[test]
fn pollers_that_are_gone_do_not_pile_up_in_silence() {
    const GONE: usize = 100;
    let runtime = Runtime::new().unwrap();
    let (_client, server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    let live = Arc::new(Count::default());
    let live_waker = Waker::from(Arc::clone(&live));
    assert!(server.poll_read_ready(&mut Context::from_waker(&live_waker)).is_pending());
    let gone: Vec<_> = (0..GONE)
        .map(|_| {
            let count = Arc::new(Count::default());
            let waker = Waker::from(Arc::clone(&count));
            assert!(server.poll_read_ready(&mut Context::from_waker(&waker)).is_pending());
            Arc::downgrade(&count)
        })
        .collect();
    let held = gone.iter().filter(|count| count.strong_count() > 0).count();
    assert!(held <= 64, "{held} of {GONE} wakers are held");
    assert_eq!(live.wakes(), 1, "the poller that is still there is told to come back");
    assert_eq!(Arc::strong_count(&live), 2, "and is not held until then");
}

#[test]
fn a_dropped_future_leaves_no_waker_behind() {
    let runtime = Runtime::new().unwrap();
    let (_client, mut server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    {
        let mut buf = [0; 4];
        let mut read = pin!(server.read(&mut buf));
        assert!(read.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(Arc::strong_count(&count), 3);
    }
    assert_eq!(Arc::strong_count(&count), 2);
}

/// `poll_read` has promised a wake. `read` is as much the only reader of its direction; but were it
/// to wait in the same place and to take its waker out of there when it is dropped, it would take
/// that wake with it.
#[test]
fn a_dropped_read_leaves_a_polls_wake() {
    let runtime = Runtime::new().unwrap();
    let (mut client, mut server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut cx = Context::from_waker(&waker);
    let mut buf = [0; 4];
    assert!(Pin::new(&mut server).poll_read(&mut cx, &mut ReadBuf::new(&mut buf)).is_pending());
    assert!(pin!(server.read(&mut buf)).poll(&mut cx).is_pending());
    block_on(client.write_all(b"x")).unwrap();
    // This waiter came last, so the others have been collected when it is woken.
    block_on(server.readable()).unwrap();
    drop(runtime);
    assert_eq!(count.wakes(), 1);
}

#[test]
fn a_read_given_up_half_way_loses_no_bytes() {
    let runtime = Runtime::new().unwrap();
    let (mut client, mut server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    let mut buf = [0; 16];
    {
        let mut read = pin!(server.read(&mut buf));
        assert!(read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        block_on(client.write_all(b"kept")).unwrap();
    }
    assert_eq!(block_on(server.read(&mut buf)).unwrap(), 4);
    assert_eq!(&buf[..4], b"kept");
}

#[test]
fn shutdown_ends_every_wait_and_refuses_new_ones() {
    let runtime = Runtime::new().unwrap();
    let (mut client, mut server) = runtime.block_on(pair()).unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    drain(&server);
    thread::scope(|scope| {
        let (waiting, all_wait) = mpsc::channel();
        let (reader, acceptor) = (waiting.clone(), waiting);
        let server = &mut server;
        scope.spawn(move || {
            let error = block_on(announced(server.read(&mut [0; 4]), reader)).unwrap_err();
            assert!(error.to_string().contains("shut down"), "{error}");
        });
        let listener = &listener;
        scope.spawn(move || {
            let error = block_on(announced(listener.accept(), acceptor)).unwrap_err();
            assert!(error.to_string().contains("shut down"), "{error}");
        });
        (0..2).for_each(|_| all_wait.recv().unwrap());
        runtime.shut_down();
    });
    let error = block_on(server.readable()).unwrap_err();
    assert!(error.to_string().contains("shut down"), "{error}");
    block_on(client.write_all(b"x")).expect("what need not wait still works");
    let error = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap_err();
    assert!(error.to_string().contains("shut down"), "{error}");
}

#[test]
fn sockets_may_outlive_the_netpoller() {
    let runtime = Runtime::new().unwrap();
    let (mut client, server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    drop(runtime);
    block_on(client.write_all(b"x")).unwrap();
    let error = block_on(server.readable()).unwrap_err();
    assert!(error.to_string().contains("shut down"), "{error}");
}

#[cfg(unix)]
#[test]
fn any_pollable_source_can_be_waited_on() {
    run(async {
        let (near, far) = std::os::unix::net::UnixDatagram::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let near = Evented::new(mio::net::UnixDatagram::from_std(near)).unwrap();
        let error = near.try_io(Interest::READABLE, |socket| socket.recv(&mut [0; 8])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        far.send(b"one").unwrap();
        let mut buf = [0; 8];
        assert_eq!(near.io(Interest::READABLE, |socket| socket.recv(&mut buf)).await.unwrap(), 3);
        far.send(b"four").unwrap();
        let count = poll_fn(|cx| near.poll_io(Interest::READABLE, cx, |socket| socket.recv(&mut buf))).await.unwrap();
        assert_eq!(count, 4);
        assert!(near.ready(Interest::WRITABLE).await.unwrap().is_writable());
        let near = near.into_inner().unwrap();
        far.send(b"after").unwrap();
        assert_eq!(near.recv(&mut buf).unwrap(), 5);
    });
}

#[test]
fn a_pending_poll_with_nothing_to_read_stays_pending() {
    let runtime = Runtime::new().unwrap();
    let (_client, server) = runtime.block_on(pair()).unwrap();
    drain(&server);
    let mut cx = Context::from_waker(Waker::noop());
    assert_eq!(server.poll_read_ready(&mut cx).map(|ready| ready.is_ok()), Poll::Pending);
}
