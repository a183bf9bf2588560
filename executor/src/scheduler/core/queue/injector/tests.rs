//! The injector's promises: order, every task once, and none left behind in it.

use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;

/// Something that waits, and counts as taken when its task is dropped.
#[derive(Debug)]
struct Node {
    number: usize,
    link: AtomicPtr<Node>,
    drops: AtomicUsize,
}

/// The task of a node that is leaked for the test's sake: nodes outlive every queue.
#[derive(Debug)]
struct QueuedTask(&'static Node);

impl QueuedTask {
    fn all(count: usize) -> Vec<Self> {
        let node = |number| Node { number, link: AtomicPtr::default(), drops: AtomicUsize::new(0) };
        let nodes: &'static [Node] = Box::leak((0..count).map(node).collect());
        nodes.iter().map(Self).collect()
    }

    fn number(&self) -> usize {
        self.0.number
    }
}

impl Drop for QueuedTask {
    fn drop(&mut self) {
        self.0.drops.fetch_add(1, Relaxed);
    }
}

// SAFETY: nodes live forever, and nothing here uses their links.
unsafe impl Queued for QueuedTask {
    type Node = Node;

    fn into_node(self) -> NonNull<Node> {
        let node = NonNull::from(self.0);
        std::mem::forget(self);
        node
    }

    unsafe fn from_node(node: NonNull<Node>) -> Self {
        // SAFETY: nodes live forever.
        Self(unsafe { node.as_ref() })
    }

    fn link(node: &Node) -> &AtomicPtr<Node> {
        &node.link
    }
}

fn numbers(tasks: impl Iterator<Item = QueuedTask>) -> Vec<usize> {
    tasks.map(|task| task.number()).collect()
}

fn drain(injector: &Injector<QueuedTask>) -> Vec<usize> {
    numbers(std::iter::from_fn(|| injector.take()))
}

#[test]
fn the_first_in_is_the_first_out() {
    let injector = Injector::new();
    for round in 0..3 {
        assert!(injector.is_empty() && injector.take().is_none(), "round {round}");
        QueuedTask::all(5).into_iter().for_each(|task| injector.push(task));
        assert_eq!((injector.len(), injector.is_empty()), (5, false));
        assert_eq!(drain(&injector), [0, 1, 2, 3, 4]);
        assert_eq!((injector.len(), injector.is_empty()), (0, true));
    }
}

#[test]
fn a_batch_goes_out_in_order_as_far_as_asked() {
    let injector = Injector::new();
    let mut tasks = QueuedTask::all(7).into_iter();
    injector.push_all(tasks.by_ref().take(0));
    assert!(injector.is_empty());
    injector.push_all(tasks.by_ref().take(1));
    injector.push_all(tasks.by_ref().take(4));
    injector.push(tasks.next().expect("two are left"));
    injector.push_all(tasks);
    assert_eq!(injector.len(), 7);
    let take = |most: usize, count: usize| numbers(injector.take_batch(most).into_iter().flatten().take(count));
    assert_eq!(take(3, 3), [0, 1, 2]);
    assert_eq!(take(3, 1), [3], "what is not asked for stays");
    assert!(take(0, 1).is_empty());
    assert_eq!(injector.len(), 3);
    assert_eq!(take(usize::MAX, 7), [4, 5, 6]);
    assert!(injector.is_empty() && take(1, 1).is_empty());
}

#[test]
fn a_dropped_injector_drops_what_waits_in_it() {
    let tasks = QueuedTask::all(3);
    let nodes: Vec<_> = tasks.iter().map(|task| task.0).collect();
    let injector = Injector::new();
    injector.push_all(tasks.into_iter());
    drop(injector.take());
    drop(injector);
    assert!(nodes.iter().all(|node| node.drops.load(Relaxed) == 1), "{nodes:?}");
}

/// One taker's day: takes by one and by many until all pushes are done and nothing is left, and
/// returns its items.
fn take_until(injector: &Injector<QueuedTask>, done: &AtomicBool) -> Vec<usize> {
    let mut taken = Vec::new();
    loop {
        // Read before the look: items pushed before are seen by a look after that.
        let is_over = done.load(Acquire);
        let before = taken.len();
        taken.extend(injector.take().map(|task| task.number()));
        taken.extend(injector.take_batch(5).into_iter().flatten().map(|task| task.number()));
        if taken.len() == before && is_over && injector.is_empty() {
            return taken;
        }
    }
}

#[test]
fn each_runnable_is_taken_once_and_pushers_keep_their_order() {
    const EACH: usize = 200_000;
    const PUSHERS: usize = 3;
    let injector = Injector::new();
    let done = AtomicBool::new(false);
    let tasks = QueuedTask::all(PUSHERS * EACH);
    let nodes: Vec<_> = tasks.iter().map(|task| task.0).collect();
    let mut tasks = tasks.into_iter();
    let taken: Vec<_> = thread::scope(|scope| {
        let takers: Vec<_> = (0..2).map(|_| scope.spawn(|| take_until(&injector, &done))).collect();
        let pushers: Vec<_> = (1..=PUSHERS)
            .map(|batch| {
                let mut own: std::vec::IntoIter<_> = tasks.by_ref().take(EACH).collect::<Vec<_>>().into_iter();
                let injector = &injector;
                scope.spawn(move || {
                    while let Some(task) = own.next() {
                        injector.push(task);
                        injector.push_all(own.by_ref().take(batch));
                    }
                })
            })
            .collect();
        pushers.into_iter().for_each(|pusher| pusher.join().expect("a pusher failed"));
        done.store(true, Release);
        takers.into_iter().map(|taker| taker.join().expect("a taker failed")).collect()
    });
    for taken in &taken {
        for pusher in 0..PUSHERS {
            let of_one: Vec<_> = taken.iter().filter(|number| *number / EACH == pusher).collect();
            assert!(of_one.is_sorted(), "a taker got those of pusher {pusher} out of order");
        }
    }
    assert_eq!(taken.iter().map(Vec::len).sum::<usize>(), PUSHERS * EACH);
    assert!(nodes.iter().all(|node| node.drops.load(Relaxed) == 1), "one was taken twice, and another lost");
    assert_eq!(injector.len(), 0);
}
