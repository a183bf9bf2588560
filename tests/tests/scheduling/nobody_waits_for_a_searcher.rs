//! A machine that was sent to look for work, and is held up by code of the user's before it gets
//! there, holds up no other task.
#![cfg(unix)]

use std::future::Future;
use std::io::Write;
use std::os::unix::net::UnixStream as Peer;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use wsrt::net::UnixStream;
use wsrt::runtime::Builder;
use wsrt::time::sleep;
use wsrt_tests::{Gate, Hold, LIMIT, Manner, assert_no_wake_was_lost, within_a_minute};

/// The first thread of the runtime to start waits in its hook until a task has run.
fn a_hook_that_waits_for_a_task(processors: usize) {
    let gate = Gate::new();
    let (hold, calls) = (gate.hold(), Arc::new(AtomicUsize::new(0)));
    let theirs = Arc::clone(&calls);
    let runtime = Builder::new_multi_thread()
        .worker_threads(processors)
        .on_thread_start(move || {
            if theirs.fetch_add(1, SeqCst) == 0 {
                hold.wait(Manner::Asleep);
            }
        })
        .build()
        .expect("a runtime");
    while calls.load(SeqCst) < processors {
        thread::yield_now();
    }
    // Until the others sleep, one of them in the netpoller: then the one in its hook is woken
    // first.
    thread::sleep(Duration::from_millis(20));
    runtime.block_on(async {
        wsrt::spawn(async move { gate.open() }).await.expect("no panic");
    });
    assert_no_wake_was_lost(&runtime);
}

#[test]
fn a_waiting_hook_leaves_its_task_to_other_machines() {
    within_a_minute(|| (2..=4).for_each(a_hook_that_waits_for_a_task));
}

#[test]
fn a_hook_on_the_only_machine_gets_a_stand_in() {
    within_a_minute(|| a_hook_that_waits_for_a_task(1));
}

/// Another executor's waker, whose wake waits until a task of ours has run.
struct Foreign {
    began: Sender<()>,
    hold: Hold,
}

impl Wake for Foreign {
    fn wake(self: Arc<Self>) {
        let _ = self.began.send(());
        self.hold.wait(Manner::Asleep);
    }
}

/// The machine that wakes it is called for a task then, while the other one is in a long poll.
#[test]
fn a_blocking_foreign_waker_holds_up_no_other_task() {
    within_a_minute(|| {
        let gate = Gate::new();
        let (hold, foreign_hold) = (gate.hold(), gate.hold());
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let _guard = runtime.enter();
        let (near, mut far) = Peer::pair().expect("a pair of sockets");
        near.set_nonblocking(true).expect("it is a socket");
        let stream = UnixStream::from_std(near).expect("inside a runtime");
        let (began, has_begun) = channel();
        let waker = Waker::from(Arc::new(Foreign { began: began.clone(), hold: foreign_hold }));
        let mut readable = pin!(stream.readable());
        assert!(readable.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        let long_poll = runtime.spawn(async move {
            began.send(()).expect("the test waits");
            hold.wait(Manner::Asleep);
        });
        has_begun.recv_timeout(LIMIT).expect("the long poll begins");
        far.write_all(&[1]).expect("the stream is open");
        has_begun.recv_timeout(LIMIT).expect("the foreign waker is woken");
        let opens = runtime.spawn(async move { gate.open() });
        runtime.block_on(async {
            opens.await.expect("no panic");
            long_poll.await.expect("no panic");
        });
        assert_no_wake_was_lost(&runtime);
    });
}

/// The machine that wakes it was the one in the netpoller, where another takes its place.
#[test]
fn a_blocking_foreign_waker_holds_up_no_timer() {
    within_a_minute(|| {
        let gate = Gate::new();
        let (began, has_begun) = channel();
        let waker = Waker::from(Arc::new(Foreign { began, hold: gate.hold() }));
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let _guard = runtime.enter();
        let mut timer = pin!(sleep(Duration::from_millis(20)));
        assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        has_begun.recv_timeout(LIMIT).expect("the foreign waker is woken");
        let opens = runtime.spawn(async move {
            sleep(Duration::from_millis(20)).await;
            gate.open();
        });
        runtime.block_on(opens).expect("no panic");
        assert_no_wake_was_lost(&runtime);
    });
}
