//! The record of the idle: one processor, one holder; and no work beside an idle processor that
//! no machine was sent to.
//!
//! No thread sleeps in these models: a machine that would is on the list, and the models ask
//! whether it was chosen. Work lies in rings, as it does in life: the protocol must be right
//! without the injector's own barriers.

use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::scheduler::core::idle::{Chosen, Idle, Resume};
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::scheduler::core::queue::{RingOwner, RingThief, ring};
use crate::util::sync::{Arc, Mutex, thread};

/// Two rings that work may lie in, and the record of the idle.
struct Scene {
    idle: Idle,
    rings: [RingThief<u8>; 2],
    /// All machines that were chosen. Locked after all else is over, so that it orders nothing.
    chosen: Mutex<Vec<Chosen>>,
    processors: usize,
}

/// The start of a model: the scene, the owners' ends, and the processors, all of them held by the
/// model.
struct Start {
    scene: Arc<Scene>,
    owners: [RingOwner<u8>; 2],
    #[expect(clippy::vec_box, reason = "the box is the right to run tasks")]
    held: Vec<Box<Processor>>,
}

fn start(count: usize) -> Start {
    let (_, held) = Processors::new(count, count);
    let ((first, first_end), (second, second_end)) = (ring(), ring());
    let scene = Scene {
        idle: Idle::new(count, count),
        rings: [first_end, second_end],
        chosen: Mutex::new(Vec::new()),
        processors: count,
    };
    Start { scene: Arc::new(scene), owners: [first, second], held }
}

fn task() -> NonNull<u8> {
    NonNull::dangling()
}

impl Scene {
    fn work_is_visible(&self) -> bool {
        self.rings.iter().any(|ring| !ring.is_empty())
    }

    /// The submitting side.
    fn submit(&self, owner: &mut RingOwner<u8>) -> Option<Chosen> {
        assert!(owner.push(task()).is_ok());
        self.idle.submit()
    }

    /// The steps of a searcher that has found something.
    fn stop_searching(&self, processor: &mut Processor) -> Option<Chosen> {
        assert!(processor.is_searching());
        processor.set_searching(false);
        let looks_again = self.idle.stop_searching() && self.work_is_visible();
        looks_again.then(|| self.idle.submit()).flatten()
    }

    /// Sends a machine that was idle with `processor` searching, as a submitter does.
    fn send(&self, processor: Box<Processor>) -> Box<Processor> {
        let index = processor.index();
        self.put_to_rest(processor);
        let sent = self.idle.wake_another().expect("one is idle").processor;
        assert_eq!((sent.index(), sent.is_searching()), (index, true));
        sent
    }

    /// Starts a submitter.
    fn submit_beside(scene: &Arc<Self>, mut owner: RingOwner<u8>) -> thread::JoinHandle<RingOwner<u8>> {
        let scene = Arc::clone(scene);
        thread::spawn(move || {
            scene.note(scene.submit(&mut owner));
            owner
        })
    }

    /// Starts a searcher that moves all work from the first ring into the second, its own, and
    /// stops searching.
    fn steal_all(
        scene: &Arc<Self>,
        [mut rich, mut own]: [RingOwner<u8>; 2],
        mut processor: Box<Processor>,
    ) -> (thread::JoinHandle<RingOwner<u8>>, RingOwner<u8>) {
        assert!(rich.push(task()).is_ok());
        let scene = Arc::clone(scene);
        let thief = thread::spawn(move || {
            assert_eq!(scene.rings[0].steal_into(&mut own), 1);
            scene.note(scene.stop_searching(&mut processor));
            own
        });
        (thief, rich)
    }

    /// Gives a processor up with a machine that goes on the list, both of them idle from now on.
    fn put_to_rest(&self, processor: Box<Processor>) -> Arc<Machine> {
        let machine = Machine::new();
        self.idle.retire(processor, &machine);
        machine
    }

    fn note(&self, chosen: Option<Chosen>) {
        self.chosen.lock().extend(chosen);
    }

    fn count_chosen(&self) -> usize {
        self.chosen.lock().len()
    }

    /// Every processor is in one place: among the chosen, with one of the `holders`, or idle and
    /// counted as such.
    fn assert_counts_are_right(&self, holders: usize) {
        let chosen = self.chosen.lock();
        let mut indices: Vec<_> = chosen.iter().map(|chosen| chosen.processor.index()).collect();
        indices.sort_unstable();
        indices.dedup();
        assert_eq!(indices.len(), chosen.len(), "a processor was chosen twice: {chosen:?}");
        assert_eq!(self.idle.count_idle() + chosen.len() + holders, self.processors, "{:?}", self.idle);
        let busy = (0..self.processors).filter(|&index| !self.idle.is_idle(index)).count();
        assert_eq!(busy, chosen.len() + holders, "{:?}", self.idle);
    }
}

fn join<T>(thread: thread::JoinHandle<T>) -> T {
    thread.join().expect("the other side ends in good order")
}

/// Whose barrier comes second sees the other side: the submitter the idle processor, or the
/// retiring machine the work.
#[test]
fn work_published_while_a_machine_retires_is_seen() {
    static BY_SUBMITTER: Tally = Tally::new(0);
    static BY_MACHINE: Tally = Tally::new(0);
    static BY_BOTH: Tally = Tally::new(0);
    explore(4, || {
        let Start { scene, owners: [owner, _other], mut held } = start(1);
        let processor = held.pop().expect("there is one");
        let submitter = Scene::submit_beside(&scene, owner);
        let machine = scene.put_to_rest(processor);
        let resumed = scene.work_is_visible().then(|| scene.idle.resume(&machine));
        drop(join(submitter));
        let seen_by = match (scene.count_chosen(), &resumed) {
            (1, None) => &BY_SUBMITTER,
            // A processor that is reserved is not idle, though the thread that did it may have yet
            // to choose the machine.
            (1, Some(Resume::Chosen | Resume::NoneIdle)) => &BY_BOTH,
            (0, Some(Resume::With(processor))) => {
                assert!(processor.is_searching());
                &BY_MACHINE
            }
            (chosen, _) => panic!("work is lost, or done twice: {chosen} chosen, {resumed:?}"),
        };
        seen_by.fetch_add(1, Counting);
        assert_eq!((scene.idle.count_searching(), scene.idle.count_machines()), (1, 0));
        scene.assert_counts_are_right(1 - scene.count_chosen());
    });
    let met = [&BY_SUBMITTER, &BY_MACHINE, &BY_BOTH].map(|tally| tally.load(Counting) > 0);
    assert_eq!(met, [true; 3], "the model has not met all cases");
}

/// A push behind a task that was announced needs no announcement, even if that task is
/// then taken: from the announcement on the ring was never empty.
#[test]
fn work_pushed_behind_announced_work_is_seen_with_it() {
    explore(4, || {
        let Start { scene, owners: [mut owner, _other], mut held } = start(1);
        let processor = held.pop().expect("there is one");
        let submitter = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                scene.note(scene.submit(&mut owner));
                let was_empty = owner.push(task()).expect("there is room");
                assert!(!was_empty.0);
                owner.pop();
                owner
            })
        };
        let machine = scene.put_to_rest(processor);
        let resumed = scene.work_is_visible().then(|| scene.idle.resume(&machine));
        drop(join(submitter));
        let is_looked_after = scene.count_chosen() == 1 || matches!(resumed, Some(Resume::With(_)));
        assert!(is_looked_after, "the second task lies beside an idle processor: {resumed:?}");
    });
}

/// A processor is given up with no machine to go with it: the thread that does so looks
/// again, and wakes in turn.
#[test]
fn work_published_while_a_processor_is_released_is_seen() {
    explore(4, || {
        let Start { scene, owners: [owner, _other], mut held } = start(1);
        let processor = held.pop().expect("there is one");
        let submitter = Scene::submit_beside(&scene, owner);
        scene.idle.give_up(processor, None);
        if scene.work_is_visible() {
            scene.note(scene.idle.submit());
        }
        drop(join(submitter));
        assert_eq!(scene.count_chosen(), 1);
        scene.assert_counts_are_right(0);
        assert!(scene.chosen.lock()[0].machine.is_none(), "no machine was on the list");
    });
}

/// A submitter that sees a searcher wakes none. If that was the last one, and has found something
/// else, it looks again.
#[test]
fn the_last_searcher_makes_up_for_skipped_wakes() {
    static BY_SUBMITTER: Tally = Tally::new(0);
    static BY_SEARCHER: Tally = Tally::new(0);
    explore(4, || {
        let Start { scene, owners: [mut owner, _other], mut held } = start(2);
        let mut processor = held.pop().map(|processor| scene.send(processor)).expect("there are two");
        scene.put_to_rest(held.pop().expect("there are two"));
        let submitter = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                let chosen = scene.submit(&mut owner);
                BY_SUBMITTER.fetch_add(usize::from(chosen.is_some()), Counting);
                scene.note(chosen);
                owner
            })
        };
        let chosen = scene.stop_searching(&mut processor);
        BY_SEARCHER.fetch_add(usize::from(chosen.is_some()), Counting);
        scene.note(chosen);
        drop(join(submitter));
        assert_eq!(scene.count_chosen(), 1, "work lies beside an idle processor, and nobody was sent");
        scene.assert_counts_are_right(1);
    });
    assert!(BY_SUBMITTER.load(Counting) > 0 && BY_SEARCHER.load(Counting) > 0, "the model has not met both cases");
}

/// Loot is not announced: the searcher that has it leaves that to the last one, which
/// therefore has to see it.
#[test]
fn the_last_searcher_sees_the_loot_of_earlier_ones() {
    explore(4, || {
        let Start { scene, owners, mut held } = start(3);
        let mut last = held.pop().map(|processor| scene.send(processor)).expect("there are three");
        let first = held.pop().map(|processor| scene.send(processor)).expect("there are three");
        scene.put_to_rest(held.pop().expect("there are three"));
        let (thief, mut victim) = Scene::steal_all(&scene, owners, first);
        scene.note(scene.stop_searching(&mut last));
        drop(join(thief));
        assert!(victim.pop().is_none());
        assert_eq!(scene.count_chosen(), 1, "loot lies beside an idle processor, and nobody was sent");
        scene.assert_counts_are_right(2);
    });
}

/// Repeats that with a last searcher that has found nothing and retires.
#[test]
fn a_retiring_searcher_sees_the_loot_of_earlier_ones() {
    explore(4, || {
        let Start { scene, owners, mut held } = start(2);
        let last = held.pop().map(|processor| scene.send(processor)).expect("there are two");
        let first = held.pop().map(|processor| scene.send(processor)).expect("there are two");
        let (thief, _victim) = Scene::steal_all(&scene, owners, first);
        let machine = scene.put_to_rest(last);
        let resumed = scene.work_is_visible().then(|| scene.idle.resume(&machine));
        drop(join(thief));
        let is_looked_after = scene.count_chosen() == 1 || matches!(resumed, Some(Resume::With(_)));
        assert!(is_looked_after, "loot lies beside an idle processor: {resumed:?}");
    });
}

/// Two submitters and two of everything: one is enough, as long as it searches.
#[test]
fn two_submitters_never_choose_the_same_processor() {
    static CHOSEN: [Tally; 3] = [const { Tally::new(0) }; 3];
    explore(4, || {
        let Start { scene, owners, held } = start(2);
        let machines: Vec<_> = held.into_iter().map(|processor| scene.put_to_rest(processor)).collect();
        let submitters = owners.map(|mut owner| {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                let chosen = scene.submit(&mut owner);
                if let Some(chosen) = chosen {
                    // The searcher finds something at once, so that the other submitter may see
                    // none search.
                    let Chosen { mut processor, machine } = chosen;
                    let next = scene.stop_searching(&mut processor);
                    scene.note(next);
                    scene.note(Some(Chosen { processor, machine }));
                }
                owner
            })
        });
        submitters.into_iter().for_each(|submitter| drop(join(submitter)));
        scene.assert_counts_are_right(0);
        let count = scene.count_chosen();
        CHOSEN[count].fetch_add(1, Counting);
        assert_eq!(scene.idle.count_machines(), machines.len() - count);
        let chosen = scene.chosen.lock();
        let sent: Vec<_> = chosen.iter().filter_map(|chosen| chosen.machine.as_ref()).collect();
        assert!(sent.len() < 2 || !Arc::ptr_eq(sent[0], sent[1]), "a machine was chosen twice");
    });
    assert_eq!(CHOSEN[0].load(Counting), 0, "nobody was sent");
    assert!(CHOSEN[2].load(Counting) > 0, "the model has not met the case of two");
}

/// One searcher is enough, since it wakes the next when it finds something; only a waker that asks
/// for another gets one.
#[test]
fn no_second_searcher_starts_unless_it_is_asked_for() {
    explore(1, || {
        let Start { scene, owners: [mut owner, _other], held } = start(3);
        held.into_iter().for_each(|processor| drop(scene.put_to_rest(processor)));
        let first = scene.submit(&mut owner);
        assert!(first.is_some());
        assert!(scene.submit(&mut owner).is_none());
        let another = scene.idle.wake_another();
        assert!(another.is_some());
        let acquired = scene.idle.acquire().expect("one is idle");
        assert!(!acquired.is_searching());
        assert!(scene.idle.wake_another().is_none() && scene.idle.acquire().is_none());
        assert_eq!((scene.idle.count_idle(), scene.idle.count_searching()), (0, 2));
        scene.note(first);
        scene.note(another);
        scene.assert_counts_are_right(1);
    });
}

/// At most half of the busy search: with four processors and one idle, the second is let in and the
/// third is not.
#[test]
fn half_of_the_busy_processors_search_at_most() {
    explore(1, || {
        let Start { scene, mut held, .. } = start(4);
        scene.put_to_rest(held.pop().expect("there are four"));
        assert!(scene.idle.start_searching());
        assert!(scene.idle.start_searching());
        assert!(!scene.idle.start_searching());
        assert!(!scene.idle.stop_searching());
        assert!(scene.idle.stop_searching());
    });
}

/// A machine that has slept long enough takes itself off the list just as it is chosen.
#[test]
fn a_machine_is_chosen_or_leaves_the_list_never_both() {
    static CHOSEN: Tally = Tally::new(0);
    static LEFT: Tally = Tally::new(0);
    explore(4, || {
        let Start { scene, owners: [owner, _other], mut held } = start(1);
        let machine = scene.put_to_rest(held.pop().expect("there is one"));
        let submitter = Scene::submit_beside(&scene, owner);
        let left = scene.idle.delist(&machine);
        drop(join(submitter));
        let chosen = scene.chosen.lock().pop().expect("the processor is chosen in any case");
        assert_eq!(chosen.machine.is_none(), left);
        (if left { &LEFT } else { &CHOSEN }).fetch_add(1, Counting);
    });
    assert!(CHOSEN.load(Counting) > 0 && LEFT.load(Counting) > 0, "the model has not met both cases");
}

/// The poll owner comes back with tasks in hand and acquires the processor that a retiring machine
/// would resume with.
#[test]
fn one_processor_is_acquired_or_resumed_with() {
    static NONE_IDLE: Tally = Tally::new(0);
    explore(4, || {
        let Start { scene, owners: [mut owner, _other], mut held } = start(1);
        let processor = held.pop().expect("there is one");
        assert!(owner.push(task()).is_ok());
        let poll_owner = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.idle.acquire())
        };
        let machine = scene.put_to_rest(processor);
        assert!(scene.work_is_visible());
        let resumed = scene.idle.resume(&machine);
        let acquired = join(poll_owner);
        match (&resumed, &acquired) {
            (Resume::With(processor), None) => assert!(processor.is_searching()),
            (Resume::NoneIdle, Some(processor)) => {
                assert!(!processor.is_searching());
                NONE_IDLE.fetch_add(1, Counting);
                assert!(scene.idle.delist(&machine), "the machine stays on the list");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(scene.idle.count_searching(), usize::from(acquired.is_none()));
        scene.assert_counts_are_right(1);
    });
    assert!(NONE_IDLE.load(Counting) > 0, "the model has not met the case");
}
