//! The queue of runnables keeps their order and loses none.

use super::*;

/// A queue of `count` tasks, and their ids.
fn queue(home: &Home, count: usize) -> (TaskQueue, Vec<Id>) {
    let mut queue = TaskQueue::new();
    let mut ids = Vec::new();
    for _ in 0..count {
        drop(home.spawn(async {}));
        let task = home.pop().expect("spawned");
        ids.push(task.id());
        queue.push_back(task);
    }
    (queue, ids)
}

fn run(queue: TaskQueue) -> Vec<Id> {
    queue
        .map(|task| {
            let id = task.id();
            task.run();
            id
        })
        .collect()
}

#[test]
fn the_first_in_is_the_first_out() {
    let home = Home::default();
    let (mut tasks, ids) = queue(&home, 3);
    assert_eq!((tasks.len(), tasks.is_empty()), (3, false));
    let first = tasks.pop_front().expect("three");
    assert_eq!((first.id(), tasks.len()), (ids[0], 2));
    tasks.push_back(first);
    assert_eq!(run(tasks), [ids[1], ids[2], ids[0]]);
    assert_eq!(home.cells(), 0);
}

#[test]
fn an_emptied_queue_can_be_filled_again() {
    let home = Home::default();
    let (mut tasks, ids) = queue(&home, 2);
    let held: Vec<Runnable> = tasks.by_ref().collect();
    assert!(tasks.is_empty() && tasks.pop_front().is_none());
    tasks.extend(held);
    assert_eq!(run(tasks), ids);
}

#[test]
fn a_dropped_queue_cancels_its_tasks() {
    let home = Home::default();
    let future = Scripted::new(&[Step::Ready]);
    let counts = Arc::clone(&future.counts);
    let handle = home.spawn(future);
    let mut tasks = TaskQueue::new();
    tasks.push_back(home.pop().expect("spawned"));
    drop(tasks);
    assert!(result(handle).expect_err("cancelled").is_cancelled());
    assert_eq!((counts.polls.load(SeqCst), counts.future_drops.load(SeqCst), home.cells()), (0, 1, 0));
}
