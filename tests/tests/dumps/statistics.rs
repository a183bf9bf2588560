//! A dump brings the statistics of tasks, on a runtime that keeps them.

use std::future::pending;
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, TaskDump, TaskState};
use wsrt::task::yield_now;
use wsrt_tests::{Gate, Manner, two_processors, within_a_minute};

use crate::{named, task_once};

#[test]
fn statistics_are_there_where_they_were_asked_for() {
    within_a_minute(|| {
        let plain = two_processors();
        drop(named("plain").spawn_on(pending::<()>(), plain.handle()));
        assert_eq!(task_once(plain.handle(), "plain", |_| true).stats(), None);

        let runtime = Builder::new_multi_thread().worker_threads(2).task_stats(true).build().expect("a runtime");
        let (sender, mut receiver) = wsrt::sync::mpsc::unbounded_channel::<()>();
        let counted = async move {
            receiver.recv().await;
            wsrt_tests::spin_for(Duration::from_millis(3));
            pending::<()>().await;
        };
        drop(named("counted").spawn_on(counted, runtime.handle()));
        let before = task_once(runtime.handle(), "counted", |task| task.state() == TaskState::Idle);
        let before = before.stats().expect("they are kept");
        assert_eq!((before.polls(), before.since_wake()), (1, None), "to be spawned is not to be woken");
        // From a thread that is none of the runtime's.
        sender.send(()).expect("it waits");
        let is_through =
            |task: &TaskDump| task.state() == TaskState::Idle && task.stats().is_some_and(|stats| stats.polls() == 2);
        let after = task_once(runtime.handle(), "counted", is_through).stats().expect("they are kept");
        assert!(after.longest_poll() >= Duration::from_millis(3), "{after}");
        assert!(after.total_poll_time() >= after.longest_poll() && after.age() >= after.total_poll_time(), "{after}");
        assert!(after.since_wake().expect("it was woken") >= Duration::from_millis(3), "{after}");
    });
}

#[test]
fn statistics_of_a_poll_that_does_not_return_go_on() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().task_stats(true).build().expect("a runtime");
        let gate = Gate::new();
        let hold = gate.hold();
        drop(named("stuck").spawn_on(async move { hold.wait(Manner::Asleep) }, runtime.handle()));
        let handle = runtime.handle().clone();
        let looker = thread::spawn(move || {
            let is_long = |task: &TaskDump| matches!(task.state(), TaskState::Running(running) if running.elapsed() > Some(Duration::from_millis(5)));
            let stuck = task_once(&handle, "stuck", is_long);
            gate.open();
            stuck
        });
        runtime.block_on(async { yield_now().await });
        let stats = looker.join().expect("no panic").stats().expect("they are kept");
        assert!(stats.polls() == 1 && stats.longest_poll() > Duration::from_millis(5), "{stats}");
        assert_eq!(stats.total_poll_time(), stats.longest_poll());
    });
}
