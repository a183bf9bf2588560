//! A runtime that ends drops its tasks: none of them sees a socket refuse to wait, however many are
//! in the middle of their last polls.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::task::{Context, Poll};
use std::thread;

use wsrt::net::{TcpListener, TcpStream, UdpSocket};
use wsrt::runtime::{Handle, Runtime, is_rt_shutdown_err};
use wsrt_tests::{LIMIT, assert_dropped_at_the_end, foreign_block_on, two_processors, within_a_minute};

type Read = Pin<Box<dyn Future<Output = io::Result<usize>>>>;

/// One test for each way to wait: before the end `$made` is made, and after it the task waits.
macro_rules! dropped_at_the_next_wait {
    ($($name:ident: $made:expr, |$made_name:ident| $wait:expr;)*) => {$(
        #[test]
        fn $name() {
            within_a_minute(|| {
                assert_dropped_at_the_end(|until_the_end| async {
                    #[allow(unused_mut)]
                    let mut $made_name = $made;
                    until_the_end();
                    $wait;
                    Ok(())
                });
            });
        }
    )*};
}

async fn listener() -> io::Result<TcpListener> {
    TcpListener::bind("127.0.0.1:0").await
}

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = listener().await?;
    let near = TcpStream::connect(listener.local_addr()?).await?;
    Ok((near, listener.accept().await?.0))
}

fn standard() -> io::Result<std::net::UdpSocket> {
    std::net::UdpSocket::bind("127.0.0.1:0")
}

dropped_at_the_next_wait! {
    a_task_that_accepts_is_dropped: listener().await?, |listener| listener.accept().await?;
    a_task_that_reads_is_dropped: pair().await?, |pair| pair.0.read(&mut [0]).await?;
    a_task_that_waits_for_a_datagram_is_dropped:
        UdpSocket::bind("127.0.0.1:0").await?, |socket| socket.recv(&mut [0]).await?;
    a_task_that_waits_until_it_may_read_is_dropped: pair().await?, |pair| pair.0.readable().await?;
    a_task_that_tries_and_waits_is_dropped: pair().await?, |pair| {
        let error = pair.0.try_read(&mut [0]).expect_err("nothing was sent");
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        pair.0.readable().await?
    };
    a_task_that_binds_a_listener_is_dropped: (), |_nothing| listener().await?.accept().await?;
    a_task_that_binds_a_socket_is_dropped:
        (), |_nothing| UdpSocket::bind("127.0.0.1:0").await?.recv(&mut [0]).await?;
    a_task_that_takes_a_socket_over_is_dropped:
        standard()?, |socket| UdpSocket::from_std(socket)?.recv(&mut [0]).await?;
    a_task_that_connects_is_dropped: listener().await?, |listener| {
        let mut stream = TcpStream::connect(listener.local_addr()?).await?;
        stream.read(&mut [0]).await?
    };
    a_task_with_many_branches_is_dropped: (pair().await?, pair().await?), |pairs| {
        let ((one, _one), (other, _other)) = &mut pairs;
        let (mut here, mut there) = ([0], [0]);
        wsrt::select! {
            read = one.read(&mut here) => read?,
            read = other.read(&mut there) => read?,
        }
    };
    a_task_that_waits_a_thousand_times_is_dropped: UdpSocket::bind("127.0.0.1:0").await?, |socket| {
        let mut waits: Vec<_> = (0..1_000).map(|_| Box::pin(socket.readable())).collect();
        let first = |cx: &mut Context<'_>| {
            let ends = waits.iter_mut().map(|wait| wait.as_mut().poll(cx));
            ends.into_iter().find(Poll::is_ready).unwrap_or(Poll::Pending)
        };
        poll_fn(first).await?
    };
}

/// A wait that is not dropped has to end: the task's poll is in a `block_on`, and the runtime waits
/// for the poll.
fn assert_told_in(block_on: fn(Read) -> io::Result<usize>) {
    within_a_minute(move || {
        let runtime = two_processors();
        let (began, has_begun) = channel();
        let (tell, told) = channel();
        runtime.spawn(async move {
            let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port is free");
            began.send(()).expect("the test waits");
            let read = Box::pin(async move { socket.recv(&mut [0]).await });
            tell.send(block_on(read)).expect("the test waits");
        });
        has_begun.recv_timeout(LIMIT).expect("the poll begins");
        drop(runtime);
        let error = told.try_recv().expect("the drop has waited for the poll").expect_err("nothing was sent");
        assert!(is_rt_shutdown_err(&error), "{error}");
    });
}

#[test]
fn a_socket_in_a_nested_block_on_sees_the_end() {
    assert_told_in(|read| Handle::current().block_on(read));
}

#[test]
fn a_socket_in_a_foreign_block_on_sees_the_end() {
    assert_told_in(foreign_block_on);
}

#[test]
fn a_destructor_in_a_foreign_block_on_sees_the_end() {
    struct ReadsAtTheEnd(UdpSocket, std::sync::mpsc::Sender<io::Result<usize>>);
    impl Drop for ReadsAtTheEnd {
        fn drop(&mut self) {
            self.1.send(foreign_block_on(self.0.recv(&mut [0]))).expect("the test waits");
        }
    }
    within_a_minute(|| {
        let runtime = two_processors();
        let (tell, told) = channel();
        let reads = runtime.block_on(async move {
            ReadsAtTheEnd(UdpSocket::bind("127.0.0.1:0").await.expect("a port is free"), tell)
        });
        runtime.spawn(async move {
            let _reads = reads;
            std::future::pending::<()>().await;
        });
        drop(runtime);
        let error = told.try_recv().expect("the future was dropped").expect_err("nothing was sent");
        assert!(is_rt_shutdown_err(&error), "{error}");
    });
}

/// Goes on until it is dropped, or something fails. Counts the failures by a runtime's end.
async fn converse(mut stream: TcpStream, refusals: Arc<AtomicUsize>) {
    let conversation = async {
        loop {
            stream.write_all(b"ping").await?;
            stream.read_exact(&mut [0; 4]).await?;
        }
    };
    let outcome: io::Result<()> = conversation.await;
    // The peer may be dropped first.
    let is_refusal = outcome.is_err_and(|error| is_rt_shutdown_err(&error));
    refusals.fetch_add(usize::from(is_refusal), SeqCst);
}

/// Makes sockets of each kind, until it is dropped.
async fn make_sockets(refusals: Arc<AtomicUsize>) {
    let making = async {
        loop {
            drop(pair().await?);
            UdpSocket::from_std(standard()?)?.send_to(b"", "127.0.0.1:9").await?;
        }
    };
    let outcome: io::Result<()> = making.await;
    let is_refusal = outcome.is_err_and(|error| is_rt_shutdown_err(&error));
    refusals.fetch_add(usize::from(is_refusal), SeqCst);
}

fn busy_with_sockets(refusals: &Arc<AtomicUsize>) -> Runtime {
    let runtime = two_processors();
    runtime.block_on(async {
        for _ in 0..4 {
            let (near, far) = pair().await.expect("there are resources for it");
            wsrt::spawn(converse(near, Arc::clone(refusals)));
            wsrt::spawn(converse(far, Arc::clone(refusals)));
        }
        wsrt::spawn(make_sockets(Arc::clone(refusals)));
    });
    runtime
}

#[test]
fn busy_sockets_of_many_ended_runtimes_refuse_nothing() {
    within_a_minute(|| {
        let refusals = Arc::new(AtomicUsize::new(0));
        for round in 0..60 {
            let runtime = busy_with_sockets(&refusals);
            for _ in 0..round % 30 {
                thread::yield_now();
            }
            drop(runtime);
        }
        assert_eq!(refusals.load(SeqCst), 0, "tasks that were told of the end, instead of dropped");
    });
}
