//! What becomes ready behind a poll that lasts, and how long it waits.

use std::time::Duration;

use wsrt::net::UnixStream;
use wsrt::runtime::Runtime;
use wsrt::task::{block_in_place, yield_now};
use wsrt::time::sleep;
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

/// The promise of `executor/docs/BLOCKING.md`, for polls that sleep.
const PROMISED: Duration = Duration::from_millis(2);

/// A task in runnext, one in the ring, one from outside, a timer and a socket each wait for a poll
/// that sleeps for 2 ms at most, on one processor and on two, after a rest or none. In half of the
/// rounds the tasks are left out, which would bring a spare for the others, too.
///
/// What counts is the time in which all threads slept. Their steps take time, too, some schedules'
/// as much as a slow machine's.
pub(crate) fn ready_behind_a_stuck_poll() {
    for processors in [1, 2] {
        let runtime = runtime(processors);
        for (rest, is_lone) in [(0, false), (1, true), (30, false), (30, true)] {
            thread::sleep(rest * MILLISECOND);
            let outside = runtime.handle().clone();
            let task = runtime.spawn(async move {
                let (mut near, mut far) = UnixStream::pair().expect("the system has descriptors");
                let timer = wsrt::spawn(async {
                    let due = time::idle() + 3 * MILLISECOND;
                    sleep(3 * MILLISECOND).await;
                    time::idle().saturating_sub(due)
                });
                let socket = wsrt::spawn(async move {
                    near.read_exact(&mut [0]).await.expect("the peer is there");
                    time::idle()
                });
                // The socket is in the poll by then.
                sleep(MILLISECOND).await;
                let ready = time::idle();
                far.write_all(b"x").await.expect("there is room");
                let mut woken = vec![socket];
                if !is_lone {
                    woken.extend([wsrt::spawn(async { time::idle() }), wsrt::spawn(async { time::idle() })]);
                    woken.extend(thread::spawn(move || outside.spawn(async { time::idle() })).join());
                }
                thread::sleep(50 * MILLISECOND);
                let late = timer.await.expect("no panic");
                assert!(late <= PROMISED, "a timer was late by {late:?}");
                for ran in woken {
                    let waited = ran.await.expect("no panic") - ready;
                    assert!(waited <= PROMISED, "a task waited for {waited:?}");
                }
            });
            runtime.block_on(task).expect("in time");
        }
    }
}
