//! Timers beside long polls, with a machine in the netpoller that has no processor.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use wsrt::runtime::Runtime;
use wsrt::task::{block_in_place, yield_now};
use wsrt::time::sleep;
use wsrt_schedule::atomic::{AtomicBool, Ordering::SeqCst};
use wsrt_schedule::{thread, time};

use crate::support::{Gate, runtime};

const MILLISECOND: Duration = Duration::from_millis(1);
/// Later than this, a timer was forgotten.
const LATE: Duration = Duration::from_millis(500);

/// A runtime with one processor and two machines, one of which is left to watch the netpoller.
fn with_a_spare_machine() -> Runtime {
    let runtime = runtime(1);
    let gate = Gate::default();
    runtime.block_on(async {
        let theirs = gate.clone();
        let blocks = wsrt::spawn(async move { block_in_place(|| theirs.wait()) });
        wsrt::spawn(async move { gate.open() }).await.expect("no panic");
        blocks.await.expect("no panic");
        sleep(MILLISECOND).await;
    });
    runtime
}

/// A timer is due while the task after its own computes: the machine in the netpoller, which slept
/// before it was armed, sees to it.
pub(crate) fn timers_behind_long_polls() {
    let runtime = with_a_spare_machine();
    let began = time::now();
    let task = runtime.spawn(async move {
        let beside = wsrt::spawn(async move {
            sleep(10 * MILLISECOND).await;
            time::now() - began
        });
        yield_now().await;
        thread::sleep(Duration::from_secs(1));
        beside.await.expect("no panic")
    });
    let took = runtime.block_on(task).expect("no panic");
    assert!(took < LATE, "a sleep of 10 ms took {took:?}");
}

/// An errand leaves a timer on its spare, which no machine in the netpoller has heard of, and its
/// machine goes on to a task that waits for it.
pub(crate) fn timers_of_errands() {
    let runtime = with_a_spare_machine();
    let (long, armed, fired) = (Gate::default(), Gate::default(), Arc::new(AtomicBool::new(false)));
    let (theirs, told, sets) = (long.clone(), armed.clone(), Arc::clone(&fired));
    let errand = runtime.spawn(async move {
        sleep(10 * MILLISECOND).await;
        theirs.open();
        thread::sleep(MILLISECOND / 5);
        let mut timer = pin!(sleep(10 * MILLISECOND));
        // It is armed, unless its moment has come meanwhile.
        let is_over = poll_fn(|cx| Poll::Ready(timer.as_mut().poll(cx).is_ready())).await;
        told.open();
        if !is_over {
            timer.await;
        }
        sets.store(true, SeqCst);
    });
    let blocks = runtime.spawn(async move { long.wait() });
    let handle = runtime.handle().clone();
    let outside = thread::spawn(move || {
        armed.wait();
        // At any moment of the errand's end.
        (0..wsrt_schedule::seed() % 64).for_each(|_| _ = fired.load(SeqCst));
        handle.spawn(async move {
            let began = time::now();
            while !fired.load(SeqCst) {
                thread::sleep(MILLISECOND);
                assert!(time::now() - began < LATE, "a sleep of 10 ms has not ended");
            }
        })
    });
    let waits = outside.join().expect("no panic");
    runtime.block_on(async {
        for task in [waits, blocks, errand] {
            task.await.expect("no panic");
        }
    });
}
