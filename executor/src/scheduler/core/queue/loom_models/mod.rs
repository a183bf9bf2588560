//! Models of the queues: every interleaving of an owner and its thieves delivers each item once,
//! with its maker's writes.
//!
//! Under loom a ring has four slots. Each model ends by counting: no item lost, none delivered
//! twice.

mod injector;

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use loom::model::Builder;

use super::{RingOwner, RingThief, RunNext, ring};
use crate::util::inbox::Inbox;
use crate::util::sync::{Arc, UnsafeCell, thread};

/// Walks through all interleavings in which no more than `preemptions` threads are interrupted
/// where they would not wait.
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// The state of an item, written without any synchronization: the queue has to provide
/// that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Unused,
    Queued,
    Delivered,
}

struct Item(UnsafeCell<Stage>);

/// The items of one model. They outlive its queues.
#[derive(Clone)]
struct Items(Arc<Vec<Item>>);

impl Items {
    fn new(count: usize) -> Self {
        Self(Arc::new((0..count).map(|_| Item(UnsafeCell::new(Stage::Unused))).collect()))
    }

    /// Writes to an item, as spawning a task does, and returns its handle for a queue.
    fn make(&self, number: usize) -> NonNull<Item> {
        self.0[number].advance(Stage::Unused, Stage::Queued);
        NonNull::from(&self.0[number])
    }

    /// Uses an item from a queue, as polling a task does.
    fn deliver(&self, item: NonNull<Item>) {
        self.0[self.number(item)].advance(Stage::Queued, Stage::Delivered);
    }

    fn number(&self, item: NonNull<Item>) -> usize {
        let position = self.0.iter().position(|own| std::ptr::eq(own, item.as_ptr()));
        position.expect("what comes out is what was put in")
    }

    /// Uses all that is in a ring, and returns the numbers.
    fn drain(&self, ring: &mut RingOwner<Item>) -> Vec<usize> {
        let items = std::iter::from_fn(|| ring.pop());
        items.inspect(|&item| self.deliver(item)).map(|item| self.number(item)).collect()
    }

    /// Steals from a ring, uses the loot, checks its order, and returns how many items it had.
    fn rob(&self, victim: &RingThief<Item>) -> usize {
        let (mut own, _) = ring();
        let count = victim.steal_into(&mut own);
        let loot = self.drain(&mut own);
        assert_eq!(loot.len(), count);
        assert!(loot.windows(2).all(|pair| pair[0] < pair[1]), "{loot:?} is out of order");
        count
    }

    /// Starts a thief that comes so many times.
    fn rob_beside(&self, victim: &Arc<RingThief<Item>>, times: usize) -> thread::JoinHandle<()> {
        let (items, victim) = (self.clone(), Arc::clone(victim));
        thread::spawn(move || (0..times).for_each(|_| _ = items.rob(&victim)))
    }

    /// Makes a ring of the first `count` items.
    fn ring_of(&self, count: usize) -> (RingOwner<Item>, Arc<RingThief<Item>>) {
        let (mut owner, thief) = ring();
        (0..count).for_each(|number| self.push(&mut owner, number));
        (owner, Arc::new(thief))
    }

    fn push(&self, ring: &mut RingOwner<Item>, number: usize) {
        match ring.push(self.make(number)) {
            Ok(_) => {}
            Err(overflow) => overflow.for_each(|item| self.deliver(item)),
        }
    }

    /// Pushes all of `numbers`, for which there is room.
    fn push_batch(&self, ring: &mut RingOwner<Item>, numbers: Range<usize>) {
        let count = numbers.len();
        let (pushed, _) = ring.push_batch(&mut numbers.map(|number| self.make(number)));
        assert_eq!(pushed as usize, count);
    }

    fn pop(&self, ring: &mut RingOwner<Item>) {
        ring.pop().into_iter().for_each(|item| self.deliver(item));
    }

    fn assert_all_delivered(&self) {
        let stages: Vec<_> = self.0.iter().map(Item::stage).collect();
        assert!(stages.iter().all(|&stage| stage == Stage::Delivered), "{stages:?}");
    }
}

impl Item {
    fn advance(&self, from: Stage, to: Stage) {
        self.0.with_mut(|stage| {
            // SAFETY: loom has checked that no other access is concurrent with this one.
            let stage = unsafe { &mut *stage };
            assert_eq!(std::mem::replace(stage, to), from, "delivered twice, or before it was made");
        });
    }

    fn stage(&self) -> Stage {
        // SAFETY: as above.
        self.0.with(|stage| unsafe { *stage })
    }
}

#[test]
fn pushes_and_pops_against_one_thief() {
    explore(4, || {
        let items = Items::new(4);
        let (mut owner, thief) = items.ring_of(1);
        let robber = items.rob_beside(&thief, 1);
        items.push(&mut owner, 1);
        items.push(&mut owner, 2);
        items.pop(&mut owner);
        items.push(&mut owner, 3);
        items.drain(&mut owner);
        robber.join().expect("the thief ends in good order");
        items.assert_all_delivered();
    });
}

#[test]
fn pushes_and_pops_against_two_thieves() {
    explore(3, || {
        let items = Items::new(4);
        let (mut owner, thief) = items.ring_of(2);
        let robbers = [0, 1].map(|_| items.rob_beside(&thief, 1));
        items.pop(&mut owner);
        items.push(&mut owner, 2);
        items.push(&mut owner, 3);
        items.drain(&mut owner);
        robbers.into_iter().for_each(|robber| robber.join().expect("a thief ends in good order"));
        items.assert_all_delivered();
    });
}

/// The thief takes the items that the batch was written behind, so that it has to move, and comes
/// back while it does.
#[test]
fn a_batch_against_a_thief() {
    explore(4, || {
        let items = Items::new(5);
        let (mut owner, thief) = items.ring_of(2);
        let robber = items.rob_beside(&thief, 2);
        items.push_batch(&mut owner, 2..4);
        items.pop(&mut owner);
        items.push_batch(&mut owner, 4..5);
        items.drain(&mut owner);
        robber.join().expect("the thief ends in good order");
        items.assert_all_delivered();
    });
}

/// The oldest half leaves at one end while a thief takes from the other.
#[test]
fn an_overflow_against_a_thief() {
    explore(4, || {
        let items = Items::new(6);
        let (mut owner, thief) = items.ring_of(4);
        let robber = items.rob_beside(&thief, 1);
        items.push(&mut owner, 4);
        items.push(&mut owner, 5);
        items.drain(&mut owner);
        robber.join().expect("the thief ends in good order");
        items.assert_all_delivered();
    });
}

/// The owner fills the ring up again after one theft, so that head and length equal those that
/// another thief has read: only the version shows it that the slots differ.
#[test]
fn a_thief_that_read_slots_which_were_written_anew_loses() {
    explore(4, || {
        let items = Items::new(6);
        let (mut owner, thief) = items.ring_of(4);
        let robber = items.rob_beside(&thief, 1);
        items.rob(&thief);
        items.push(&mut owner, 4);
        items.push(&mut owner, 5);
        robber.join().expect("the thief ends in good order");
        items.drain(&mut owner);
        items.assert_all_delivered();
    });
}

/// A thief steals from a processor's ring as soon as its holder, itself a thief, publishes loot in
/// it.
#[test]
fn loot_that_is_robbed_at_once() {
    static ROBBED: Tally = Tally::new(0);
    explore(4, || {
        let items = Items::new(2);
        let (mut first, first_end) = ring();
        let (mut second, second_end) = ring();
        (0..2).for_each(|number| items.push(&mut first, number));
        let robber = {
            let items = items.clone();
            thread::spawn(move || ROBBED.fetch_add(items.rob(&second_end), Counting))
        };
        assert_eq!(first_end.steal_into(&mut second), 1);
        robber.join().expect("the thief ends in good order");
        items.drain(&mut first);
        items.drain(&mut second);
        items.assert_all_delivered();
    });
    assert!(ROBBED.load(Counting) > 0, "the model has not met the case");
}

#[test]
fn runnext_replaced_and_taken_by_its_owner_and_by_thieves() {
    explore(4, || {
        let items = Items::new(2);
        let slot = Arc::new(RunNext::new());
        let robbers = [0, 1].map(|_| {
            let (items, slot) = (items.clone(), Arc::clone(&slot));
            thread::spawn(move || {
                let taken = slot.peek().and_then(|seen| slot.take_if(seen));
                taken.into_iter().for_each(|item| items.deliver(item));
            })
        });
        assert!(slot.replace(items.make(0)).is_none(), "nothing was in");
        slot.replace(items.make(1)).into_iter().for_each(|displaced| items.deliver(displaced));
        slot.take().into_iter().for_each(|item| items.deliver(item));
        robbers.into_iter().for_each(|robber| robber.join().expect("a thief ends in good order"));
        assert!(slot.is_empty());
        items.assert_all_delivered();
    });
}

/// The processor goes from one holder to the next; the slot alone has to carry the first one's
/// item.
#[test]
fn runnext_displaced_by_another_holder() {
    explore(4, || {
        let items = Items::new(2);
        let slot = Arc::new(RunNext::new());
        let first = {
            let (items, slot) = (items.clone(), Arc::clone(&slot));
            thread::spawn(move || {
                let displaced = slot.replace(items.make(0));
                displaced.into_iter().for_each(|displaced| items.deliver(displaced));
            })
        };
        slot.replace(items.make(1)).into_iter().for_each(|displaced| items.deliver(displaced));
        first.join().expect("the first holder ends in good order");
        slot.take().into_iter().for_each(|item| items.deliver(item));
        items.assert_all_delivered();
    });
}

#[test]
fn an_inbox_reader_finds_every_post_or_is_woken() {
    use std::collections::VecDeque;
    use std::sync::Arc as StdArc;
    use std::task::{Context, Poll, Wake, Waker};

    #[derive(Default)]
    struct Bell(Tally);
    impl Wake for Bell {
        fn wake(self: StdArc<Self>) {
            self.0.fetch_add(1, Counting);
        }
    }

    explore(3, || {
        let inbox = Arc::new(Inbox::default());
        let posters: Vec<_> = (0..2)
            .map(|post| {
                let inbox = Arc::clone(&inbox);
                thread::spawn(move || inbox.post(post))
            })
            .collect();
        let bell = StdArc::<Bell>::default();
        let waker = Waker::from(StdArc::clone(&bell));
        let mut taken = VecDeque::new();
        let waits = loop {
            match inbox.poll_take(&Context::from_waker(&waker), &mut taken) {
                Poll::Ready(()) if taken.len() < 2 => {}
                answer => break answer.is_pending(),
            }
        };
        posters.into_iter().for_each(|poster| poster.join().unwrap());
        let before = taken.len();
        inbox.take(&mut taken);
        if before < 2 {
            assert!(waits);
            assert_eq!(bell.0.load(Counting), 1, "one wake for all that came while it waited");
        }
        taken.make_contiguous().sort_unstable();
        assert_eq!(taken, [0, 1]);
    });
}
