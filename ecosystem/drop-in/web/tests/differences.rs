//! The drop-in does as executor/docs/DROP_IN.md says where it differs from tokio.

use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::sleep;
use wsrt_ecosystem_testing::LIMIT;

fn runtimes() -> [Runtime; 2] {
    [Builder::new_multi_thread(), Builder::new_current_thread()]
        .map(|mut builder| builder.enable_all().build().expect("a runtime"))
}

#[test]
fn block_on_works_in_a_task() {
    for runtime in runtimes() {
        let nested = runtime.spawn(async { Handle::current().block_on(async { tokio::spawn(async { 7 }).await }) });
        assert_eq!(runtime.block_on(nested).expect("no panic").expect("no panic"), 7);
    }
}

#[test]
fn a_runtime_can_be_dropped_in_a_task() {
    for runtime in runtimes() {
        let [inner, other] = runtimes();
        runtime.block_on(async move {
            tokio::spawn(async move { drop(inner) }).await.expect("no panic");
            drop(other);
        });
    }
}

#[test]
fn block_in_place_works_on_each_flavor() {
    for runtime in runtimes() {
        assert_eq!(runtime.block_on(async { tokio::task::block_in_place(|| 7) }), 7);
    }
}

#[test]
fn threads_have_wsrt_s_names() {
    let [runtime, _] = runtimes();
    let name = runtime.spawn(async { thread::current().name().map(str::to_owned) });
    assert_eq!(runtime.block_on(name).expect("no panic").as_deref(), Some("wsrt-machine"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_sleep_can_be_far_shorter_than_a_millisecond() {
    let began = Instant::now();
    loop {
        let slept = Instant::now();
        sleep(Duration::from_micros(100)).await;
        if slept.elapsed() < Duration::from_micros(900) {
            return;
        }
        assert!(began.elapsed() < LIMIT, "each sleep takes a millisecond");
    }
}
