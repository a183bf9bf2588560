//! A socket with a waiter of each kind, and an event.

use std::future::Future;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use socket2::SockRef;
use wsrt_reactor::async_fd::AsyncFd;
use wsrt_reactor::context::{self, ContextGuard, ReactorContext};
use wsrt_reactor::{Interest, Netpoller};
use wsrt_reactor_testing::ThreadPerJob;

/// The time that an event may take that is sure to come.
const LIMIT: Duration = Duration::from_secs(60);
/// How long no event has to come.
const QUIET: Duration = Duration::from_millis(20);

const WAITERS: [(&str, Interest); 5] = [
    ("reader", Interest::READABLE),
    ("writer", Interest::WRITABLE),
    ("either", Interest::READABLE.add(Interest::WRITABLE)),
    ("errors", Interest::ERROR),
    ("urgent", Interest::PRIORITY),
];

/// A netpoller, which the test turns itself.
pub(crate) struct Scene {
    netpoller: Netpoller,
    _entered: ContextGuard,
}

/// The waiters whose waits an event has ended.
#[must_use]
pub(crate) struct Ended(Vec<&'static str>);

impl Ended {
    #[track_caller]
    pub(crate) fn assert_exactly(&self, names: &str) {
        assert_eq!(self.0.join(" "), names);
    }
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

/// A future that was polled, and waits.
pub(crate) struct Begun<'a, T> {
    future: Pin<Box<dyn Future<Output = T> + 'a>>,
    woken: Arc<Woken>,
}

impl<T> Begun<'_, T> {
    fn poll(&mut self) -> Poll<T> {
        let waker = Waker::from(Arc::clone(&self.woken));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    pub(crate) fn is_pending(&mut self) -> bool {
        self.poll().is_pending()
    }

    /// Its answer, which it was woken for.
    #[track_caller]
    pub(crate) fn end(&mut self) -> T {
        assert!(self.woken.0.load(SeqCst), "it was not woken");
        let Poll::Ready(answer) = self.poll() else { panic!("it was woken for nothing") };
        answer
    }
}

impl Scene {
    pub(crate) fn new() -> Scene {
        let netpoller = Netpoller::new().unwrap();
        let context = ReactorContext::new(netpoller.handle().clone(), Arc::new(ThreadPerJob));
        Scene { netpoller, _entered: context::enter(Some(context)) }
    }

    /// Begins a wait that has to wait, once nothing is left to be reported.
    #[track_caller]
    pub(crate) fn begin<'a, T>(&self, future: impl Future<Output = T> + 'a) -> Begun<'a, T> {
        self.turn();
        let mut begun = Begun { future: Box::pin(future), woken: Arc::default() };
        assert!(begun.is_pending());
        begun
    }

    /// Turns the netpoller until nothing more is reported.
    pub(crate) fn turn(&self) {
        while self.turn_once(QUIET) {}
    }

    fn turn_once(&self, limit: Duration) -> bool {
        let mut wakers = Vec::new();
        let turn = self.netpoller.turn(Some(limit), &mut wakers).unwrap();
        wakers.into_iter().for_each(Waker::wake);
        matches!(turn, wsrt_reactor::Turn::Polled { events: 1.., .. })
    }

    /// Makes each kind of waiter wait for `socket`, makes the `event`, and returns the waiters
    /// whose waits have ended, once the `expected` ones have. Those that are woken and find nothing
    /// continue.
    #[track_caller]
    pub(crate) fn watch(&self, socket: &impl AsFd, expected: &str, event: impl FnOnce()) -> Ended {
        let socket = AsyncFd::with_interest(socket.as_fd().as_raw_fd(), Interest::READABLE | Interest::WRITABLE);
        let socket = socket.unwrap();
        self.turn();
        for (_, interest) in WAITERS {
            let _ = socket.try_io(interest, |_| Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        }
        let mut waits = WAITERS.map(|(name, interest)| {
            let socket = &socket;
            (name, self.begin(async move { drop(socket.ready(interest).await.unwrap()) }))
        });
        event();
        let mut ended = Vec::new();
        let begun = Instant::now();
        loop {
            let is_quiet = !self.turn_once(QUIET);
            for (name, wait) in &mut waits {
                if !ended.contains(name) && wait.poll().is_ready() {
                    assert!(wait.woken.0.load(SeqCst), "the {name} is ready, and was not woken");
                    ended.push(*name);
                }
            }
            let has_come = expected.split_whitespace().all(|name| ended.contains(&name));
            if (has_come && is_quiet) || begun.elapsed() > LIMIT {
                ended.sort_by_key(|ended| WAITERS.iter().position(|(name, _)| name == ended));
                return Ended(ended);
            }
        }
    }
}

pub(crate) fn unblock(descriptor: &impl AsFd) {
    SockRef::from(descriptor).set_nonblocking(true).unwrap();
}

/// Writes until there is no more room.
fn fill(mut near: impl Write) {
    let mut begun = Instant::now();
    // Room may come back while the other side takes in what is under way.
    while begun.elapsed() < QUIET {
        if near.write(&[0; 1 << 16]).is_ok() {
            begun = Instant::now();
        }
    }
}

/// A connection whose near end has no room.
pub(crate) fn full_tcp() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (far, _) = listener.accept().unwrap();
    near.set_nonblocking(true).unwrap();
    fill(&near);
    (near, far)
}

/// A pair whose near end has no room.
pub(crate) fn full_unix() -> (UnixStream, UnixStream) {
    let (near, far) = UnixStream::pair().unwrap();
    near.set_nonblocking(true).unwrap();
    fill(&near);
    (near, far)
}
