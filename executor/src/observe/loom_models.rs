//! Ready times: the machine that polls a task finds that task's time or none, whichever
//! other task wants the entry.

use crate::observe::ready_times::ReadyTimes;
use crate::scheduler::core::loom_models::explore;
use crate::util::sync::{Arc, thread};

const OLD: u64 = 1;
/// Late enough for the first time to be stale.
const LATER: u64 = OLD + 120_000_000_000;

#[test]
fn a_polled_task_finds_its_own_ready_time_or_none() {
    explore(4, || {
        let ready_times = Arc::new(ReadyTimes::new());
        ready_times.put(1, OLD);
        let other = {
            let ready_times = Arc::clone(&ready_times);
            thread::spawn(move || {
                ready_times.put(2, LATER);
                ready_times.take(2)
            })
        };
        let first = ready_times.take(1);
        assert!(matches!(first, None | Some(OLD)), "{first:?}");
        let second = other.join().expect("it ends in good order");
        assert!(matches!(second, None | Some(LATER)), "{second:?}");
        // The entry is free again, whichever task had it.
        ready_times.put(3, LATER);
        assert_eq!(ready_times.take(3), Some(LATER));
    });
}

#[test]
fn two_tasks_at_one_place_do_not_mix_their_times() {
    explore(4, || {
        let ready_times = Arc::new(ReadyTimes::new());
        let threads = [1, 2].map(|task| {
            let ready_times = Arc::clone(&ready_times);
            thread::spawn(move || {
                ready_times.put(task, task * 10);
                ready_times.take(task).is_none_or(|time| time == task * 10)
            })
        });
        for thread in threads {
            assert!(thread.join().expect("it ends in good order"), "another task's time");
        }
    });
}
