//! The data that tokio-console gets from a program on wsrt, requested over gRPC as the console
//! does.

mod viewer;

use std::time::Duration;

use wsrt_ecosystem_testing::Example;

use viewer::{Seen, Task, Viewer, start};

const SOURCE: &str = include_str!("../examples/watched.rs");

/// The tasks of the example that are there from beginning to end, and their kinds.
const TASKS: [(&str, &str); 10] = [
    ("metronome", "task"),
    ("one reader", "task"),
    ("another reader", "task"),
    ("listener", "task"),
    ("busy", "task"),
    ("impatient", "task"),
    ("forgotten", "task"),
    ("foreman", "task"),
    ("archivist", "blocking"),
    ("pet", "local"),
];

#[tokio::test]
async fn each_task_has_its_name_kind_and_spawn_line() {
    let (program, address) = start();
    let mut viewer = Viewer::connect(&address).await;
    viewer.until("all tasks", |seen| TASKS.iter().all(|(name, _)| seen.find(name).is_some())).await;
    for (name, kind) in TASKS {
        let task = viewer.task(name);
        assert_eq!(task.kind, kind, "{name}");
        assert!(task.file.ends_with("examples/watched.rs"), "{name} comes from {}", task.file);
        let line = SOURCE.lines().nth(task.line - 1).expect("the place is in the file");
        let spawn = if kind == "task" { "spawn".to_owned() } else { format!("spawn_{kind}") };
        assert!(line.contains(&format!("named(\"{name}\").{spawn}(")), "{name} comes from `{line}`");
    }
    // Neither has a name: the root task, and the one `block_on` of the thread with the local tasks.
    for (kind, word) in [("task", "runtime.run(root())"), ("block_on", ".block_on(&runtime, keep_at_home())")] {
        let is_it = |task: &&Task| task.kind == kind && task.name.is_empty();
        let roots: Vec<_> = viewer.seen().tasks().filter(is_it).collect();
        assert_eq!(roots.len(), 1, "{roots:#?}");
        assert!(SOURCE.lines().nth(roots[0].line - 1).is_some_and(|line| line.contains(word)), "{roots:#?}");
    }
    program.interrupt();
}

#[tokio::test]
async fn polls_wakes_and_busy_time_grow_as_the_tasks_run() {
    let (program, address) = start();
    let mut viewer = Viewer::connect(&address).await;
    viewer.until("a tick", |seen| seen.find("metronome").is_some_and(|task| task.polls() > 0)).await;
    let before = viewer.task("metronome").polls();
    viewer.until("ten ticks more", |seen| seen.find("metronome").is_some_and(|task| task.polls() >= before + 10)).await;
    let metronome = viewer.task("metronome");
    assert!(metronome.stats.wakes >= 10);

    viewer.until("ten polls of the busy task", |seen| seen.find("busy").is_some_and(|task| task.polls() > 10)).await;
    let busy = viewer.task("busy");
    // Each poll but the one that may be running has taken its two milliseconds.
    let least = Duration::from_millis(2) * (busy.polls() as u32 - 1);
    assert!(busy.busy_time() >= least, "{:?} for {} polls", busy.busy_time(), busy.polls());

    // It waits since its first poll, or has not been polled.
    assert!(viewer.task("listener").polls() <= 1);
    assert_eq!(viewer.task("listener").stats.wakes, 0);
    program.interrupt();
}

#[tokio::test]
async fn a_self_wake_differs_from_a_wake_by_another() {
    let (program, address) = start();
    let mut viewer = Viewer::connect(&address).await;
    let woken = |task: Option<&Task>| task.is_some_and(|task| task.stats.wakes > 20);
    viewer.until("wakes", |seen| woken(seen.find("impatient")) && woken(seen.find("metronome"))).await;
    let impatient = viewer.task("impatient").stats;
    // Nine wakes of its own, and the timer's; the last round may be unfinished, and one wake only
    // half counted.
    assert!(impatient.self_wakes * 10 >= (impatient.wakes - 2) * 9, "{impatient:#?}");
    assert_eq!(viewer.task("metronome").stats.self_wakes, 0);
    program.interrupt();
}

#[tokio::test]
async fn only_the_task_that_is_lost_counts_as_lost() {
    let (program, address) = start();
    let mut viewer = Viewer::connect(&address).await;
    // The console reads its figures while they change. So a task may look lost for a moment, but
    // not for long.
    let is_as_it_is = |task: &Task| task.polls() > 0 && task.is_lost() == (task.name == "forgotten");
    viewer
        .until("every task as it is", |seen| {
            TASKS
                .iter()
                .filter(|(_, kind)| *kind != "blocking")
                .all(|(name, _)| seen.find(name).is_some_and(is_as_it_is))
        })
        .await;
    let listener = viewer.task("listener").stats;
    assert_eq!(listener.waker_clones - listener.waker_drops, 1);

    viewer.until("ten tasks that ended", |seen| seen.ended("brief").count() >= 10).await;
    for brief in viewer.seen().ended("brief") {
        assert_eq!(brief.stats.waker_clones, brief.stats.waker_drops, "{brief:#?}");
        assert!(brief.stats.waker_clones > 0);
    }
    program.interrupt();
}

#[tokio::test]
async fn a_task_that_has_ended_goes() {
    let (program, address) = start();
    let mut viewer = Viewer::connect(&address).await;
    viewer.until("a task that ended", |seen| seen.ended("brief").next().is_some()).await;
    let id = viewer.seen().ended("brief").next().expect("it was there").id;
    // A console that connects later receives all tasks and resources that the program still has.
    loop {
        let mut later = Viewer::connect(&address).await;
        later.until("the first word", |seen| seen.find("metronome").is_some()).await;
        if later.seen().tasks().all(|task| task.id != id) {
            break;
        }
        viewer.until("the next word", |_| true).await;
    }
    program.interrupt();
}

#[tokio::test]
async fn timers_are_shown_with_their_waiting_tasks() {
    let (program, address) = start();
    let mut viewer = Viewer::connect(&address).await;
    viewer.until("the metronome", |seen| seen.find("metronome").is_some()).await;
    let metronome = viewer.task("metronome").id;
    viewer.until("a tick", |seen| seen.poll_ops().any(|op| op.task == metronome && op.is_ready)).await;
    viewer.until("a wait", |seen| seen.poll_ops().any(|op| op.task == metronome && !op.is_ready)).await;
    let tick = viewer.seen().poll_ops().find(|op| op.task == metronome).expect("it was there").clone();
    assert_eq!(tick.name, "poll_tick");

    let interval = viewer.seen().resource(tick.resource);
    assert_eq!((interval.concrete_type.as_str(), interval.is_timer), ("Interval", true));
    assert!(interval.file.ends_with("examples/watched.rs"));
    let line = SOURCE.lines().nth(interval.line - 1).expect("the place is in the file");
    assert!(line.contains("interval(Duration::from_millis(20))"), "{line}");
    let (value, unit) = viewer.seen().attribute(tick.resource, "duration").expect("a deadline was told");
    assert!(value.parse::<u64>().is_ok_and(|value| value <= 20) && unit == "ms", "{value} {unit}");
    assert_eq!(viewer.seen().source(tick.operation), "Interval::tick");
    viewer.until("a sleep", |seen| seen.resources().any(|resource| resource.concrete_type == "Sleep")).await;
    program.interrupt();
}

#[tokio::test]
async fn a_lock_is_shown_with_its_state_and_waiting_task() {
    let (program, address) = start();
    let mut viewer = Viewer::connect(&address).await;
    viewer.until("a wait", |seen| seen.poll_ops().any(|op| op.name == "mutex" && !op.is_ready)).await;
    viewer.until("its end", |seen| seen.poll_ops().any(|op| op.name == "mutex" && op.is_ready)).await;
    let wait = viewer.seen().poll_ops().find(|op| op.name == "mutex").expect("it was there").clone();
    assert_eq!(viewer.seen().source(wait.operation), "Mutex::lock");
    let waiter = viewer.seen().tasks().find(|task| task.id == wait.task).expect("the task is there");
    assert!(waiter.name.ends_with(" reader"), "{waiter:#?}");

    let lock = viewer.seen().resource(wait.resource);
    assert_eq!((lock.concrete_type.as_str(), lock.is_timer), ("Mutex", false));
    let line = SOURCE.lines().nth(lock.line - 1).expect("the place is in the file");
    assert!(lock.file.ends_with("examples/watched.rs") && line.contains("Mutex::new("), "{line}");
    let state = |seen: &Seen, name: &str| seen.attribute(wait.resource, name).map(|(value, _)| value);
    viewer.until("the state of the lock", |seen| state(seen, "locked").as_deref() == Some("true")).await;
    viewer.until("the one that waits", |seen| state(seen, "waiting").as_deref() == Some("1")).await;
    program.interrupt();
}

/// The example is built once for all tests.
fn example() -> Example {
    wsrt_ecosystem_testing::example(env!("CARGO_MANIFEST_DIR"), "watched")
}
