//! Timers beside long polls, with a machine in the netpoller that has no processor.

use std::time::Duration;

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
