//! Connections that are accepted enter the poll at their second wait.
#![cfg(target_os = "linux")]

use std::future::Future;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Wake, Waker};
use std::{fs, net, thread};

use wsrt_reactor::net::{TcpListener, TcpStream, UnixStream};
use wsrt_reactor_testing::{block_on, run};

/// Returns whether the descriptor is in an epoll of this process.
fn is_in_poll(descriptor: RawFd) -> bool {
    let entry = format!("tfd: {descriptor:>8} ");
    fs::read_dir("/proc/self/fdinfo")
        .unwrap()
        .filter_map(|info| fs::read_to_string(info.ok()?.path()).ok())
        .any(|info| info.lines().any(|line| line.starts_with(&entry)))
}

/// A connection, as the listener's side accepts it, and its peer.
async fn connection() -> (TcpStream, net::TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let peer = thread::spawn(move || net::TcpStream::connect(address).unwrap());
    let (accepted, _) = listener.accept().await.unwrap();
    (accepted, peer.join().unwrap())
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl Wakes {
    fn count(&self) -> usize {
        self.0.load(SeqCst)
    }
}

#[test]
fn a_connection_that_is_answered_and_closed_enters_no_poll() {
    run(async {
        let (mut accepted, mut peer) = connection().await;
        peer.write_all(b"request").unwrap();
        let mut buf = [0; 16];
        assert_eq!(accepted.read(&mut buf).await.unwrap(), 7);
        accepted.write_all(b"answer").await.unwrap();
        assert!(!is_in_poll(accepted.as_raw_fd()));
        drop(accepted);
        let mut answer = String::new();
        peer.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "answer");
    });
}

#[test]
fn the_first_wait_wakes_its_task_the_second_enters() {
    run(async {
        let (mut accepted, mut peer) = connection().await;
        let descriptor = accepted.as_raw_fd();
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut cx = Context::from_waker(&waker);
        let mut buf = [0; 16];
        let mut read = pin!(accepted.read(&mut buf));

        assert!(read.as_mut().poll(&mut cx).is_pending());
        assert_eq!((wakes.count(), is_in_poll(descriptor)), (1, false));
        assert!(read.as_mut().poll(&mut cx).is_pending());
        assert_eq!((wakes.count(), is_in_poll(descriptor)), (1, true));

        peer.write_all(b"late").unwrap();
        assert_eq!(read.await.unwrap(), 4);
    });
}

#[test]
fn a_second_try_in_vain_enters_the_poll() {
    run(async {
        let (accepted, mut peer) = connection().await;
        let mut buf = [0; 16];
        for is_in in [false, true] {
            assert_eq!(accepted.try_read(&mut buf).unwrap_err().kind(), io::ErrorKind::WouldBlock);
            assert_eq!(is_in_poll(accepted.as_raw_fd()), is_in);
        }
        peer.write_all(b"data").unwrap();
        let count = loop {
            match accepted.try_read(&mut buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::yield_now(),
                outcome => break outcome.unwrap(),
            }
        };
        assert_eq!(count, 4);
    });
}

#[test]
fn waiters_on_two_threads_both_learn_of_events() {
    run(async {
        for _ in 0..200 {
            let (one, other) = UnixStream::pair().unwrap();
            let read_four = async || {
                let (mut buf, mut filled) = ([0; 4], 0);
                while filled < 4 {
                    one.readable().await.unwrap();
                    match one.try_read(&mut buf[filled..]) {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                        count => filled += count.unwrap(),
                    }
                }
                buf
            };
            thread::scope(|scope| {
                scope.spawn(|| assert_eq!(&block_on(read_four()), b"ping"));
                scope.spawn(|| block_on(one.writable()).unwrap());
                for half in [b"pi", b"ng"] {
                    block_on(other.writable()).unwrap();
                    assert_eq!(other.try_write(half).unwrap(), 2);
                }
            });
        }
    });
}

#[test]
fn a_connection_that_never_entered_can_be_registered_anew() {
    run(async {
        let (accepted, mut peer) = connection().await;
        let taken = accepted.into_std().unwrap();
        let mut again = TcpStream::from_std(taken).unwrap();
        assert!(is_in_poll(again.as_raw_fd()), "a stream of the standard library's enters the poll at once");
        let mut buf = [0; 16];
        let mut read = pin!(again.read(&mut buf));
        assert!(read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        peer.write_all(b"data").unwrap();
        assert_eq!(read.await.unwrap(), 4);
    });
}

#[test]
fn a_connection_that_entered_late_leaves_the_poll() {
    run(async {
        let (accepted, peer) = connection().await;
        for _ in 0..2 {
            let _ = accepted.try_read(&mut [0; 1]);
            assert!(accepted.poll_read_ready(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert!(is_in_poll(accepted.as_raw_fd()));
        let taken = accepted.into_std().unwrap();
        assert!(!is_in_poll(taken.as_raw_fd()));
        drop(peer);
    });
}
