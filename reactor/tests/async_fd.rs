//! `AsyncFd`: other people's descriptors, waited for as ours are.
#![cfg(unix)]

use std::fs::File;
use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::rc::Rc;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::thread;
use wsrt_reactor::async_fd::{AsyncFd, TryIoError};
use wsrt_reactor::{Interest, Ready};
use wsrt_reactor_testing::{Runtime, block_on, run};

fn pair() -> (AsyncFd<UnixStream>, UnixStream) {
    let (near, far) = UnixStream::pair().unwrap();
    near.set_nonblocking(true).unwrap();
    (AsyncFd::new(near).unwrap(), far)
}

/// A pair whose first event, for room to write, has been reported: no later report of what was
/// there then comes beside the test's.
async fn settled() -> (AsyncFd<UnixStream>, UnixStream) {
    let (near, far) = pair();
    drop(near.writable().await.unwrap());
    (near, far)
}

fn is_pending<F: Future>(future: F) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[test]
fn it_is_ready_when_the_system_says_so() {
    run(async {
        let (near, mut far) = pair();
        assert!(is_pending(near.readable()));
        assert!(near.writable().await.unwrap().ready().is_writable());
        assert!(is_pending(near.readable()), "room to write is no reason to read");
        far.write_all(b"hello").unwrap();
        let guard = near.readable().await.unwrap();
        assert_eq!(guard.ready(), Ready::READABLE, "what was asked for and nothing else");
    });
}

#[test]
fn readiness_stays_until_it_is_cleared() {
    run(async {
        let (near, mut far) = settled().await;
        far.write_all(b"hello").unwrap();
        near.readable().await.unwrap().retain_ready();
        let mut guard = near.readable().await.unwrap();
        let mut buf = [0; 8];
        assert_eq!(guard.try_io(|near| near.get_ref().read(&mut buf)).unwrap().unwrap(), 5);
        assert_eq!(guard.try_io(|near| near.get_ref().read(&mut buf)).unwrap_err().to_string(), TRY_AGAIN);
        assert!(guard.ready().is_empty());
        assert!(is_pending(near.readable()));

        far.write_all(b"again").unwrap();
        let mut guard = near.readable().await.unwrap();
        guard.clear_ready();
        assert!(is_pending(near.readable()), "whoever clears what is there is not told again");
        far.write_all(b"!").unwrap();
        drop(near.readable().await.unwrap());
    });
}

const TRY_AGAIN: &str = "the operation would have to wait";

#[test]
fn an_event_that_came_meanwhile_is_not_cleared() {
    run(async {
        let (near, mut far) = settled().await;
        far.write_all(b"one").unwrap();
        let mut early = near.readable().await.unwrap();
        let mut late = near.readable().await.unwrap();
        late.clear_ready();
        far.write_all(b"two").unwrap();
        drop(near.readable().await.unwrap());
        early.clear_ready();
        assert!(!is_pending(near.readable()), "the permit was for an earlier event");
    });
}

#[test]
fn one_direction_can_be_cleared_and_the_other_kept() {
    run(async {
        let (near, mut far) = settled().await;
        far.write_all(b"hello").unwrap();
        drop(near.readable().await.unwrap());
        let mut both = near.ready(Interest::READABLE | Interest::WRITABLE).await.unwrap();
        assert_eq!(both.ready(), Ready::READABLE | Ready::WRITABLE);
        both.clear_ready_matching(Ready::WRITABLE);
        assert_eq!(both.ready(), Ready::READABLE);
        assert!(is_pending(near.writable()));
        assert!(!is_pending(near.readable()));
    });
}

#[test]
fn operations_wait_in_every_manner() {
    run(async {
        let (mut near, mut far) = pair();
        let mut buf = [0; 8];
        let would_block = near.try_io(Interest::READABLE, |mut near| near.read(&mut buf)).unwrap_err();
        assert_eq!(would_block.kind(), ErrorKind::WouldBlock);
        far.write_all(b"one").unwrap();
        assert_eq!(near.async_io(Interest::READABLE, |mut near| near.read(&mut buf)).await.unwrap(), 3);
        far.write_all(b"two!").unwrap();
        assert_eq!(near.async_io_mut(Interest::READABLE, |near| near.read(&mut buf)).await.unwrap(), 4);
        // Once is not enough if the last event comes after its data was read.
        while !is_pending(near.readable_mut()) {
            let would_block = near.try_io_mut(Interest::READABLE, |near| near.read(&mut buf)).unwrap_err();
            assert_eq!(would_block.kind(), ErrorKind::WouldBlock);
        }

        far.write_all(b"three").unwrap();
        let mut guard = poll_fn(|cx| near.poll_read_ready(cx).map_ok(|guard| guard.get_inner().as_raw_fd())).await;
        assert_eq!(guard.as_mut().copied().unwrap(), near.as_raw_fd());
        let mut guard = near.readable_mut().await.unwrap();
        assert_eq!(guard.try_io(|near| near.get_mut().read(&mut buf)).unwrap().unwrap(), 5);
        assert_eq!(guard.get_inner_mut().read(&mut buf).unwrap_err().kind(), ErrorKind::WouldBlock);
        guard.clear_ready();
        let mut cx = Context::from_waker(Waker::noop());
        assert!(near.poll_read_ready_mut(&mut cx).is_pending());
        assert!(matches!(near.poll_write_ready(&mut cx), Poll::Ready(Ok(_))));
        assert!(matches!(near.poll_write_ready_mut(&mut cx), Poll::Ready(Ok(_))));
    });
}

#[test]
fn any_number_of_tasks_wait() {
    const WAITERS: usize = 6;
    let runtime = Runtime::new().unwrap();
    let (near, mut far) = runtime.block_on(async { pair() });
    thread::scope(|scope| {
        let (waiting, all_wait) = mpsc::channel();
        for _ in 0..WAITERS {
            let (near, mut waiting) = (&near, Some(waiting.clone()));
            scope.spawn(move || {
                block_on(poll_fn(|cx| {
                    let answer = near.poll_read_ready(cx).map_ok(drop);
                    if let (true, Some(waiting)) = (answer.is_pending(), waiting.take()) {
                        waiting.send(()).unwrap();
                    }
                    answer
                }))
                .unwrap();
            });
        }
        (0..WAITERS).for_each(|_| all_wait.recv().unwrap());
        far.write_all(b"all").unwrap();
    });
}

#[test]
fn one_interest_is_woken_for_that_one_only() {
    run(async {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let near = AsyncFd::with_interest(near, Interest::READABLE).unwrap();
        far.write_all(b"hello").unwrap();
        drop(near.readable().await.unwrap());
        assert!(is_pending(near.writable()), "nobody asked");
    });
}

#[test]
fn what_cannot_be_polled_comes_back() {
    run(async {
        let file = File::open(std::env::current_exe().unwrap()).unwrap();
        let descriptor = file.as_raw_fd();
        let error = AsyncFd::try_new(file).unwrap_err();
        assert!(error.to_string().starts_with("the descriptor cannot be polled"), "{error}");
        let (file, cause) = error.into_parts();
        assert_eq!((file.as_raw_fd(), cause.raw_os_error()), (descriptor, Some(libc::EPERM)));
        assert_eq!(AsyncFd::new(file).unwrap_err().raw_os_error(), Some(libc::EPERM), "the system's error as it is");
    });
}

#[test]
fn the_inner_value_comes_out_unchanged_and_reusable() {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let (near, mut far) = pair();
        let inner = near.into_inner();
        assert!(runtime.netpoller().is_unused());
        far.write_all(b"hello").unwrap();
        let near = AsyncFd::new(inner).unwrap();
        drop(near.readable().await.unwrap());
        assert_eq!(near.as_fd().as_raw_fd(), near.get_ref().as_raw_fd());
        drop(near);
        assert!(runtime.netpoller().is_unused());
    });
}

#[test]
fn owners_that_stay_on_their_thread_are_taken_too() {
    run(async {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let shared = Rc::new(near);
        let near = AsyncFd::new(Rc::clone(&shared)).unwrap();
        far.write_all(b"hello").unwrap();
        assert_eq!(near.async_io(Interest::READABLE, |near| (&**near).read(&mut [0; 8])).await.unwrap(), 5);
    });
}

#[test]
fn the_end_and_the_shutdown_are_reported() {
    let runtime = Runtime::new().unwrap();
    let (near, far) = runtime.block_on(async { pair() });
    drop(far);
    assert!(block_on(near.readable()).unwrap().ready().is_read_closed());
    let (near, _far) = runtime.block_on(async { pair() });
    runtime.shut_down();
    let error = block_on(near.readable()).unwrap_err();
    assert!(error.to_string().contains("shut down"), "{error}");
}

/// Data and the end come as one event, and the system reports nothing after it.
#[test]
fn clearing_by_hand_does_not_hide_the_end() {
    run(async {
        let (near, mut far) = settled().await;
        far.write_all(b"the last words").unwrap();
        drop(far);
        // They may be reported apart, if the thread was held up in between.
        while !near.readable().await.unwrap().ready().is_read_closed() {
            thread::yield_now();
        }
        let mut got = Vec::new();
        loop {
            let mut guard = near.readable().await.unwrap();
            let mut buf = [0; 10];
            let mut socket = guard.get_inner();
            let count = socket.read(&mut buf).unwrap();
            guard.clear_ready();
            assert!(guard.ready().is_empty());
            if count == 0 {
                break;
            }
            got.extend_from_slice(&buf[..count]);
            assert!(!is_pending(near.readable()), "there is the end to be read, after {got:?}");
            near.readable().await.unwrap().clear_ready_matching(Ready::ALL);
        }
        assert_eq!(got, b"the last words");
    });
}

#[test]
fn would_block_takes_back_that_it_was_closed() {
    run(async {
        let (near, far) = settled().await;
        drop(far);
        let mut guard = near.readable().await.unwrap();
        assert!(guard.ready().is_read_closed());
        let pretends: Result<io::Result<()>, _> = guard.try_io(|_| Err(ErrorKind::WouldBlock.into()));
        assert!(pretends.is_err() && guard.ready().is_empty());
        assert!(is_pending(near.readable()), "it would be tried over and over");
    });
}

#[test]
fn facts_of_the_types() {
    fn both<T: Send + Sync>() {}
    both::<AsyncFd<UnixStream>>();
    both::<TryIoError>();
    let _ = |near: &'static AsyncFd<UnixStream>| {
        fn future<F: Future + Send + Sync>(_: F) {}
        future(near.readable());
        future(near.async_io(Interest::READABLE, |_| io::Result::Ok(())));
    };
}

#[cfg(target_os = "linux")]
#[test]
fn urgent_data_ends_a_wait_for_it() {
    run(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let near = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let near = AsyncFd::with_interest(near, Interest::PRIORITY).unwrap();
        let (far, _) = listener.accept().unwrap();
        assert!(is_pending(near.ready(Interest::PRIORITY)));
        socket2::SockRef::from(&far).send_out_of_band(b"!").unwrap();
        let mut guard = near.ready(Interest::PRIORITY).await.unwrap();
        assert_eq!(guard.ready(), Ready::PRIORITY);
        guard.clear_ready();
        assert!(is_pending(near.ready(Interest::PRIORITY)));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_leaves_the_error_to_its_own_waiters() {
    run(async {
        // On an address that no other test binds: another test could get the port first.
        let nobody = std::net::UdpSocket::bind("127.0.77.1:0").unwrap().local_addr().unwrap();
        let near = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        near.set_nonblocking(true).unwrap();
        near.connect(nobody).unwrap();
        let near = AsyncFd::new(near).unwrap();
        assert!(is_pending(near.ready(Interest::ERROR)));
        near.get_ref().send(b"anybody?").unwrap();
        let refused = near.async_io(Interest::READABLE, |near| near.recv(&mut [0; 8])).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        let drained = near.try_io(Interest::READABLE, |near| near.recv(&mut [0; 8])).unwrap_err();
        assert_eq!(drained.kind(), ErrorKind::WouldBlock);
        let mut guard = near.ready(Interest::ERROR).await.unwrap();
        assert_eq!(guard.ready(), Ready::ERROR);
        guard.clear_ready();
        assert!(is_pending(near.ready(Interest::ERROR)));
    });
}
