//! Tasks and timers behind a long poll, or left by a processor that goes, where every other
//! processor has something to do.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::time::Duration;

use wsrt::runtime::{Handle, Runtime, worker_index};
use wsrt::task::{block_in_place, yield_now};
use wsrt::time::sleep;
use wsrt_schedule::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use wsrt_schedule::{thread, time};

use crate::support::{Gate, runtime};

const MILLISECOND: Duration = Duration::from_millis(1);
/// A task or timer that has not come by then was forgotten. It is long, since a thread of a low
/// priority may have no step for a while, beside others that use the whole core.
const LATE: Duration = Duration::from_secs(10);

/// Stays in one poll until `is_over`.
fn hold_until(is_over: impl Fn() -> bool) {
    let began = time::now();
    while !is_over() {
        assert!(time::now() - began < LATE, "what waits behind the poll has not come");
        thread::sleep(MILLISECOND);
    }
}

/// A task that goes on until `is_over`, in short polls: it never waits for anything.
///
/// The pauses leave the core to other threads. Without them, or with shorter ones, three such tasks
/// of a high priority take every step, and the thread that is to help has none for seconds.
async fn yields_until(is_over: Arc<AtomicBool>) {
    while !is_over.load(SeqCst) {
        thread::sleep(MILLISECOND / 2);
        yield_now().await;
    }
}

/// The one task behind a poll holds the spare that came for it, and the other is in runnext.
pub(crate) fn runnext_behind_a_held_spare() {
    let runtime = runtime(1);
    let task = runtime.spawn(async {
        let (begun, gate) = (Arc::new(AtomicUsize::new(0)), Gate::default());
        for _ in 0..2 {
            let (begun, gate) = (Arc::clone(&begun), gate.clone());
            wsrt::spawn(async move {
                begun.fetch_add(1, SeqCst);
                gate.wait();
            });
        }
        hold_until(|| begun.load(SeqCst) == 2);
        gate.open();
    });
    runtime.block_on(task).expect("no panic");
}

/// The spare that came for the tasks behind a poll never runs out of them.
pub(crate) fn tasks_behind_a_busy_spare() {
    let runtime = runtime(1);
    let task = runtime.spawn(async {
        let (begun, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for _ in 0..3 {
            let (begun, is_over) = (Arc::clone(&begun), Arc::clone(&is_over));
            wsrt::spawn(async move {
                begun.fetch_add(1, SeqCst);
                yields_until(is_over).await;
            });
        }
        hold_until(|| begun.load(SeqCst) == 3);
        is_over.store(true, SeqCst);
    });
    runtime.block_on(task).expect("no panic");
}

/// A waker that notes its wake.
#[derive(Default)]
struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

/// A runtime with one processor and three machines, one of which is left to watch the netpoller.
fn with_spare_machines() -> Runtime {
    let runtime = runtime(1);
    let (begun, all_begun) = (Arc::new(AtomicUsize::new(0)), Gate::default());
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let (begun, all_begun) = (Arc::clone(&begun), all_begun.clone());
            runtime.spawn(async move {
                if begun.fetch_add(1, SeqCst) == 2 {
                    all_begun.open();
                }
                block_in_place(|| all_begun.wait());
            })
        })
        .collect();
    for task in tasks {
        runtime.block_on(task).expect("no panic");
    }
    thread::sleep(20 * MILLISECOND);
    runtime
}

/// The poll owner went to sleep before a timer was armed by the poll, and the spare that came for
/// the tasks behind it never runs out of them.
pub(crate) fn timers_behind_a_busy_spare() {
    let runtime = with_spare_machines();
    let task = runtime.spawn(async {
        let is_over = Arc::new(AtomicBool::new(false));
        for _ in 0..2 {
            wsrt::spawn(yields_until(Arc::clone(&is_over)));
        }
        let bell = Arc::new(Bell::default());
        let waker = Arc::clone(&bell).into();
        let mut timer = pin!(sleep(10 * MILLISECOND));
        poll_fn(|_| {
            let is_armed = timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending();
            hold_until(|| !is_armed || bell.0.load(SeqCst));
            Poll::Ready(())
        })
        .await;
        is_over.store(true, SeqCst);
    });
    runtime.block_on(task).expect("no panic");
}

/// A processor goes out of play with a timer on it, which the poll owner does not know of, and its
/// machine goes on with tasks that never wait, on another one.
pub(crate) fn timers_left_where_the_runtime_shrinks() {
    let runtime = runtime(3);
    thread::sleep(MILLISECOND);
    let (begun, all_begun, is_over) =
        (Arc::new(AtomicUsize::new(0)), Gate::default(), Arc::new(AtomicBool::new(false)));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let (begun, all_begun, is_over) = (Arc::clone(&begun), all_begun.clone(), Arc::clone(&is_over));
            runtime.spawn(async move {
                if begun.fetch_add(1, SeqCst) == 2 {
                    all_begun.open();
                }
                all_begun.wait();
                // One of the three is on the processor that goes.
                if worker_index() == Some(2) {
                    leave_a_timer_behind(is_over).await;
                }
            })
        })
        .collect();
    for task in tasks {
        runtime.block_on(task).expect("no panic");
    }
}

async fn leave_a_timer_behind(is_over: Arc<AtomicBool>) {
    Handle::current().resize(2).expect("there is room");
    // The others come to rest, one of them in the netpoller.
    thread::sleep(MILLISECOND);
    let bell = Arc::new(Bell::default());
    let waker = Arc::clone(&bell).into();
    let mut timer = pin!(sleep(10 * MILLISECOND));
    let is_armed = poll_fn(|_| Poll::Ready(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending())).await;
    for _ in 0..3 {
        wsrt::spawn(yields_until(Arc::clone(&is_over)));
    }
    let began = time::now();
    while is_armed && !bell.0.load(SeqCst) {
        assert!(time::now() - began < LATE, "the timer was forgotten");
        thread::sleep(3 * MILLISECOND / 10);
        yield_now().await;
    }
    is_over.store(true, SeqCst);
}
