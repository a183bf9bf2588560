//! Models of one source: waiters, events, clears, futures that go away and the shutdown, in every
//! order.

use crate::announcement::WaiterKey;
use crate::interest::Interest;
use crate::late_entry::LateEntry;
use crate::readiness::{EventBits, Readiness};
use crate::source::{Condition, SourceState};
use crate::waiters::WaiterKind;
use loom::future::block_on;
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use loom::sync::{Arc, Mutex};
use loom::thread;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, Waker};

const READ: Interest = Interest::READABLE;

fn bounded(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// A source that starts drained.
fn drained() -> Arc<SourceState> {
    Arc::new(SourceState::fresh(Interest::WRITABLE))
}

fn dispatch(source: &SourceState) {
    let mut wakers = Vec::new();
    source.dispatch(EventBits::READABLE, &mut wakers);
    wakers.into_iter().for_each(Waker::wake);
}

/// A socket's receive buffer, as the kernel keeps it.
struct Kernel {
    source: SourceState,
    bytes: AtomicUsize,
}

impl Kernel {
    fn new() -> Self {
        Self { source: SourceState::fresh(READ), bytes: AtomicUsize::new(0) }
    }

    /// Data comes first, its event after.
    fn arrive(&self) {
        self.bytes.fetch_add(1, Relaxed);
        dispatch(&self.source);
    }

    /// Takes one byte, waiting for it as a socket's reader does. A transfer that leaves nothing
    /// came back short.
    fn read(&self, kind: fn() -> WaiterKind<'static>) {
        block_on(poll_fn(|cx| {
            loop {
                let seen = match self.source.poll_ready(Condition::WorthTrying, READ, cx, kind()) {
                    Poll::Ready(seen) => seen.expect("no shutdown here"),
                    Poll::Pending => return Poll::Pending,
                };
                match self.bytes.fetch_update(Relaxed, Relaxed, |bytes| bytes.checked_sub(1)) {
                    Ok(1) => self.source.readiness().clear_drained(seen, READ),
                    Ok(_) => {}
                    Err(_) => {
                        self.source.readiness().clear_would_block(seen, READ);
                        continue;
                    }
                }
                return Poll::Ready(());
            }
        }));
    }
}

#[test]
fn a_clear_never_removes_an_event_after_the_look() {
    loom::model(|| {
        let readiness = Arc::new(Readiness::of_fresh(READ));
        let seen = readiness.read();
        let event = {
            let readiness = Arc::clone(&readiness);
            thread::spawn(move || readiness.set_from_event(EventBits::READABLE))
        };
        readiness.clear_would_block(seen, READ);
        event.join().unwrap();
        assert!(readiness.read().is_ready(READ));
    });
}

#[test]
fn an_event_reaches_a_waiter_that_comes_beside_it() {
    loom::model(|| {
        let source = drained();
        let event = {
            let source = Arc::clone(&source);
            thread::spawn(move || dispatch(&source))
        };
        block_on(poll_fn(|cx| source.poll_ready(Condition::WorthTrying, READ, cx, WaiterKind::Sole))).unwrap();
        event.join().unwrap();
    });
}

#[test]
fn a_reader_that_clears_gets_every_byte() {
    bounded(4, || {
        let kernel = Arc::new(Kernel::new());
        let writer = {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || {
                kernel.arrive();
                kernel.arrive();
            })
        };
        kernel.read(|| WaiterKind::Sole);
        kernel.read(|| WaiterKind::Sole);
        writer.join().unwrap();
    });
}

#[test]
fn two_readers_share_two_bytes_and_neither_hangs() {
    bounded(2, || {
        let kernel = Arc::new(Kernel::new());
        let other = {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || kernel.read(|| WaiterKind::Shared))
        };
        let writer = {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || {
                kernel.arrive();
                kernel.arrive();
            })
        };
        kernel.read(|| WaiterKind::Shared);
        other.join().unwrap();
        writer.join().unwrap();
    });
}

/// A connection that enters the poll late. The OS reports its data from then on, and those that it
/// has by then.
struct LateKernel {
    source: SourceState,
    late: LateEntry,
    socket: Mutex<LateSocket>,
}

#[derive(Default)]
struct LateSocket {
    bytes: usize,
    is_entered: bool,
}

impl LateKernel {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            source: SourceState::fresh(READ),
            late: LateEntry::of(0),
            socket: Mutex::new(LateSocket::default()),
        })
    }

    fn arrive(&self) {
        let is_entered = {
            let mut socket = self.socket.lock().unwrap();
            socket.bytes += 1;
            socket.is_entered
        };
        if is_entered {
            dispatch(&self.source);
        }
    }

    fn register(&self) {
        let has_data = {
            let mut socket = self.socket.lock().unwrap();
            assert!(!std::mem::replace(&mut socket.is_entered, true), "entered twice");
            socket.bytes > 0
        };
        if has_data {
            dispatch(&self.source);
        }
    }

    fn read(&self) {
        block_on(poll_fn(|cx| {
            loop {
                let Poll::Ready(seen) = self.source.poll_ready(Condition::WorthTrying, READ, cx, WaiterKind::Shared)
                else {
                    if self.late.is_entered() {
                        return Poll::Pending;
                    }
                    let approach = self.late.approach(&self.source, cx, |_| {
                        self.register();
                        Ok(())
                    });
                    return approach.map(|outcome: io::Result<()>| outcome.expect("it can be entered"));
                };
                let mut socket = self.socket.lock().unwrap();
                if socket.bytes > 0 {
                    socket.bytes -= 1;
                    return Poll::Ready(());
                }
                self.source.readiness().clear_would_block(seen.expect("no shutdown here"), READ);
            }
        }));
    }
}

#[test]
fn data_reach_a_reader_that_enters_the_poll_beside_them() {
    loom::model(|| {
        let kernel = LateKernel::new();
        let writer = {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || kernel.arrive())
        };
        kernel.read();
        writer.join().unwrap();
    });
}

#[test]
fn two_readers_that_enter_the_poll_at_once_both_read() {
    bounded(2, || {
        let kernel = LateKernel::new();
        let other = {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || kernel.read())
        };
        let writer = {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || {
                kernel.arrive();
                kernel.arrive();
            })
        };
        kernel.read();
        other.join().unwrap();
        writer.join().unwrap();
    });
}

#[test]
fn a_shutdown_reaches_a_waiter_that_comes_beside_it() {
    loom::model(|| {
        let source = drained();
        let end = {
            let source = Arc::clone(&source);
            thread::spawn(move || {
                let mut wakers = Vec::new();
                source.shut_down(&mut wakers);
                wakers.into_iter().for_each(Waker::wake);
            })
        };
        let error = block_on(poll_fn(|cx| source.poll_ready(Condition::WorthTrying, READ, cx, WaiterKind::Shared)))
            .unwrap_err();
        assert!(error.to_string().contains("shut down"));
        end.join().unwrap();
    });
}

#[test]
fn a_future_that_goes_away_takes_no_other_waiters_event() {
    bounded(3, || {
        let source = drained();
        let event = {
            let source = Arc::clone(&source);
            thread::spawn(move || dispatch(&source))
        };
        let leaver = {
            let source = Arc::clone(&source);
            thread::spawn(move || {
                let mut key = None;
                let mut cx = Context::from_waker(Waker::noop());
                let _ = source.poll_ready(Condition::WorthTrying, READ, &mut cx, WaiterKind::Keyed(&mut key));
                if let Some(key) = key {
                    source.withdraw(key);
                }
            })
        };
        block_on(poll_fn(|cx| source.poll_ready(Condition::WorthTrying, READ, cx, WaiterKind::Shared))).unwrap();
        event.join().unwrap();
        leaver.join().unwrap();
    });
}

/// A count that a signal handler adds to, with the pair of sockets that it writes to afterwards.
struct Counted {
    kernel: Kernel,
    count: AtomicUsize,
}

impl Counted {
    fn announce(&self) {
        self.count.fetch_add(1, Relaxed);
        self.kernel.arrive();
    }

    fn poll_above(&self, seen: usize, key: &mut WaiterKey, cx: &mut Context<'_>) -> Poll<usize> {
        let drain = || _ = self.kernel.bytes.swap(0, Relaxed);
        let look = || Some(self.count.load(Relaxed)).filter(|count| *count > seen);
        self.kernel.source.poll_announced(key, cx, drain, look).map(|found| found.expect("no shutdown here"))
    }

    /// Polls twice, without waiting: the second time this uses up the event of what the first one
    /// has found.
    fn use_up(&self) {
        let (mut key, mut cx) = (WaiterKey::default(), Context::from_waker(Waker::noop()));
        if let Poll::Ready(seen) = self.poll_above(0, &mut key, &mut cx) {
            assert!(self.poll_above(seen, &mut key, &mut cx).is_pending());
        }
    }
}

#[test]
fn an_announcement_that_another_waiter_uses_up_is_not_missed() {
    bounded(2, || {
        let counted = Arc::new(Counted { kernel: Kernel::new(), count: AtomicUsize::new(0) });
        let other = {
            let counted = Arc::clone(&counted);
            thread::spawn(move || counted.use_up())
        };
        let handler = {
            let counted = Arc::clone(&counted);
            thread::spawn(move || counted.announce())
        };
        let mut key = WaiterKey::default();
        assert_eq!(block_on(poll_fn(|cx| counted.poll_above(0, &mut key, cx))), 1);
        other.join().unwrap();
        handler.join().unwrap();
    });
}
