//! The pages are there when no worker is.

use std::time::Duration;

use wsrt::runtime::Builder;
use wsrt::task;
use wsrt_tests::{Gate, Manner, within_a_minute};

use crate::client::{get, get_until, serve};

#[test]
fn each_page_answers_while_all_workers_are_stuck() {
    within_a_minute(|| {
        let (_server, address) = serve();
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(2).build().expect("a runtime");
        let gate = Gate::new();
        for _ in 0..4 {
            let hold = gate.hold();
            task::Builder::new().name("stuck").spawn_on(async move { hold.wait(Manner::Asleep) }, runtime.handle());
        }
        let of = format!("runtime={}", runtime.handle().id());
        // Both threads are in one of them, and the others wait in a queue.
        get_until(address, &format!("/tasks?{of}"), ": 2 running, 2 scheduled, 0 idle");
        get_until(address, &format!("/stalls?{of}"), "\n2 polls have lasted for 10ms and more by now");
        for page in ["", "tasks", "locks", "metrics", "trace", "report", "profile"] {
            let reply = get(address, &format!("/{page}?{of}&seconds=0.1"));
            assert_eq!(reply.status, 200, "{page}: {}", reply.head);
        }
        assert_eq!(runtime.metrics().num_alive_tasks(), 4, "all of this time");
        gate.open();
        runtime.shutdown_timeout(Duration::from_secs(10));
    });
}
