//! Rescues by the watcher are counted, and a poll that blocks explains them.

use std::sync::mpsc::channel;

use wsrt::runtime::Handle;
use wsrt_tests::{LIMIT, runtime_with, within_a_minute};

#[test]
fn a_rescue_behind_a_poll_is_counted_and_explained() {
    within_a_minute(|| {
        runtime_with(1).run(async {
            let (ran, has_run) = channel();
            drop(wsrt::spawn(async move { ran.send(()).expect("the poll waits") }));
            // The only processor has this poll, which tells no one that it blocks.
            has_run.recv_timeout(LIMIT).expect("the watcher sees to the task");
            // From the start: without a core, the poll may have had a spare before it slept.
            let metrics = Handle::current().metrics().snapshot();
            assert!(metrics.rescue_count() > 0, "{metrics:?}");
            assert_eq!(metrics.unexplained_rescue_count(), 0, "{metrics:?}");
        });
    });
}
