//! Models of the injector: pushes without a lock against takers with one.

use std::ptr::{self, NonNull};

use super::{Item, Stage, explore};
use crate::scheduler::core::queue::Injector;
use crate::scheduler::core::queue::injector::Queued;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicBool, AtomicPtr, fence};
use crate::util::sync::{Arc, UnsafeCell, thread};

struct Node {
    number: usize,
    item: Item,
    link: AtomicPtr<Node>,
}

/// Nodes are leaked by the tasks in the injector, and kept by [`World`].
struct QueuedTask(NonNull<Node>);

// SAFETY: loom checks each access to an item.
unsafe impl Send for QueuedTask {}

// SAFETY: the world keeps the nodes, and nothing here uses their links.
unsafe impl Queued for QueuedTask {
    type Node = Node;

    fn into_node(self) -> NonNull<Node> {
        self.0
    }

    unsafe fn from_node(node: NonNull<Node>) -> Self {
        Self(node)
    }

    fn link(node: &Node) -> &AtomicPtr<Node> {
        &node.link
    }
}

/// The nodes of one model, and the injector that they go through.
struct World {
    injector: Injector<QueuedTask>,
    nodes: Vec<Node>,
}

// SAFETY: loom checks each access to an item, and all else is Sync.
unsafe impl Sync for World {}
// SAFETY: as above.
unsafe impl Send for World {}

impl World {
    fn new(count: usize) -> Arc<Self> {
        let node =
            |number| Node { number, item: Item(UnsafeCell::new(Stage::Unused)), link: AtomicPtr::new(ptr::null_mut()) };
        Arc::new(Self { injector: Injector::new(), nodes: (0..count).map(node).collect() })
    }

    fn make(&self, number: usize) -> QueuedTask {
        self.nodes[number].item.advance(Stage::Unused, Stage::Queued);
        QueuedTask(NonNull::from(&self.nodes[number]))
    }

    fn push(&self, number: usize) {
        self.injector.push(self.make(number));
    }

    fn push_all(&self, numbers: impl Iterator<Item = usize>) {
        self.injector.push_all(numbers.map(|number| self.make(number)));
    }

    /// Takes up to `most` and uses them, as polling a task does.
    fn take(&self, most: usize) -> Vec<usize> {
        let taken: Vec<QueuedTask> = self.injector.take_batch(most).into_iter().flatten().collect();
        taken.into_iter().map(|task| self.deliver(&task)).collect()
    }

    fn deliver(&self, task: &QueuedTask) -> usize {
        // SAFETY: we keep the nodes.
        let node = unsafe { task.0.as_ref() };
        node.item.advance(Stage::Queued, Stage::Delivered);
        node.number
    }

    fn assert_all_delivered(&self) {
        assert!(self.injector.is_empty());
        assert_eq!(self.injector.len(), 0);
        assert!(self.nodes.iter().all(|node| node.item.stage() == Stage::Delivered));
    }
}

/// The end of a model: no thread pushes any more.
fn finish(world: &World, mut taken: Vec<usize>) {
    taken.extend(world.take(usize::MAX));
    assert!(taken.iter().filter(|number| **number > 0).is_sorted(), "a batch came out of order: {taken:?}");
    world.assert_all_delivered();
}

#[test]
fn two_pushers_against_a_taker() {
    explore(5, || {
        let world = World::new(3);
        let pushers = [
            thread::spawn({
                let world = Arc::clone(&world);
                move || world.push(0)
            }),
            thread::spawn({
                let world = Arc::clone(&world);
                move || world.push_all(1..3)
            }),
        ];
        let mut taken = world.take(1);
        taken.extend(world.take(2));
        pushers.into_iter().for_each(|pusher| pusher.join().expect("a pusher ends in good order"));
        finish(&world, taken);
    });
}

/// The last is taken out just as others come in behind it, and goes where the taker's next push
/// swaps it out again.
#[test]
fn pushes_behind_the_last_as_it_is_taken() {
    explore(6, || {
        let world = World::new(3);
        world.push(1);
        let pusher = thread::spawn({
            let world = Arc::clone(&world);
            move || world.push(2)
        });
        let mut taken = world.take(2);
        world.push(0);
        taken.extend(world.take(1));
        pusher.join().expect("the pusher ends in good order");
        finish(&world, taken);
    });
}

#[test]
fn two_takers_against_a_pusher() {
    explore(5, || {
        let world = World::new(3);
        world.push(1);
        let taker = thread::spawn({
            let world = Arc::clone(&world);
            move || world.take(2).len()
        });
        let pusher = thread::spawn({
            let world = Arc::clone(&world);
            move || world.push_all([2, 0].into_iter())
        });
        let own = world.take(1).len();
        pusher.join().expect("the pusher ends in good order");
        let others = taker.join().expect("the taker ends in good order");
        let rest = world.take(usize::MAX).len();
        assert_eq!(own + others + rest, 3);
        world.assert_all_delivered();
    });
}

/// A task that comes again brings the link along that it had before.
#[test]
fn a_task_that_comes_again_leads_nowhere() {
    explore(5, || {
        let world = World::new(3);
        world.push_all(1..3);
        assert_eq!(world.take(2), [1, 2]);
        let pusher = thread::spawn({
            let world = Arc::clone(&world);
            move || {
                world.nodes[1].item.advance(Stage::Delivered, Stage::Queued);
                world.injector.push(QueuedTask(NonNull::from(&world.nodes[1])));
            }
        });
        world.push(0);
        let taken = world.take(2);
        pusher.join().expect("the pusher ends in good order");
        finish(&world, taken);
    });
}

/// The sleeping protocol's requirement: a thread that looks after its barrier sees that the
/// injector is not empty, or was seen by the pusher. A taker in between changes nothing, and
/// neither does a push that is under way before ours.
#[test]
fn a_push_is_seen_by_a_sleeper_or_sees_it() {
    explore(5, || {
        let world = World::new(2);
        let asleep = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let world = Arc::clone(&world);
            move || world.push(0)
        });
        let sleeper = thread::spawn({
            let (world, asleep) = (Arc::clone(&world), Arc::clone(&asleep));
            move || {
                asleep.store(true, Relaxed);
                fence(SeqCst);
                world.injector.is_empty()
            }
        });
        world.push(1);
        fence(SeqCst);
        let was_seen = asleep.load(Relaxed);
        let saw_nothing = sleeper.join().expect("the sleeper ends in good order");
        assert!(was_seen || !saw_nothing, "it sleeps beside a task");
        other.join().expect("the other ends in good order");
        finish(&world, Vec::new());
    });
}
