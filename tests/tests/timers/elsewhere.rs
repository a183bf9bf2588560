//! Timers that are made inside a runtime, and polled on a thread that has none.

use std::future::pending;
use std::thread;

use wsrt::runtime::Builder;
use wsrt::time::{Instant, interval, sleep, timeout};
use wsrt_tests::{foreign_block_on, panic_message, runtime_with, within_a_minute};

use crate::millis;

#[test]
fn waits_made_in_a_runtime_end_on_any_thread() {
    within_a_minute(|| {
        for processors in [1, 2] {
            let runtime = runtime_with(processors);
            let entered = runtime.enter();
            let made = Instant::now();
            let waits = (sleep(millis(3)), timeout(millis(3), pending::<()>()), interval(millis(3)));
            drop(entered);
            let (slept, limited, mut ticks) = waits;
            foreign_block_on(slept);
            assert!(made.elapsed() >= millis(3));
            foreign_block_on(limited).expect_err("it never ends");
            let first = foreign_block_on(ticks.tick());
            assert_eq!(foreign_block_on(ticks.tick()), first + millis(3));
        }
    });
}

#[test]
fn waits_of_a_current_thread_runtime_end_while_driven() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let slept = {
            let _entered = runtime.enter();
            sleep(millis(3))
        };
        let (ended, end) = wsrt::sync::oneshot::channel();
        let waiter = thread::spawn(move || {
            foreign_block_on(slept);
            ended.send(()).expect("the runtime waits for it");
        });
        runtime.block_on(end).expect("it is sent");
        waiter.join().expect("the sleep ends");
    });
}

#[test]
fn the_end_of_their_runtime_is_reported() {
    let runtime = runtime_with(1);
    let entered = runtime.enter();
    let slept = sleep(millis(3));
    drop(entered);
    drop(runtime);
    let message = panic_message(|| foreign_block_on(slept));
    assert!(message.starts_with("wsrt: a `Sleep` was polled after its runtime had been shut down"), "{message}");
}
