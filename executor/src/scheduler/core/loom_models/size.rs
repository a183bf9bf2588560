//! A runtime that shrinks and grows: as many processors stay in play as it says, and a task that is
//! queued at that time meets one of them.

use std::ptr::NonNull;

use wsrt_reactor::timer::TimerEntry;

use super::explore;
use crate::scheduler::core::idle::Idle;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::scheduler::core::queue::ring;
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::{Arc, thread};

struct Scene {
    processors: Processors,
    idle: Idle,
}

impl Scene {
    /// A runtime with two processors, both in hand, and room for so many.
    fn new(room: usize) -> (Arc<Self>, Vec<Box<Processor>>) {
        let (processors, held) = Processors::new(2, room);
        (Arc::new(Self { processors, idle: Idle::new(2, room) }), held)
    }

    /// Does the steps of `Scheduler::take_due_from_idle`.
    fn take_due_from_idle(&self) {
        while self.processors.is_retirement_due() {
            let Some(idle) = self.idle.remove_from(self.processors.regular()) else { return };
            if let Some(stays) = self.processors.take_out_of_play(idle) {
                self.idle.add(stays);
            }
        }
    }

    fn shrink(&self) {
        self.processors.shrink();
        self.take_due_from_idle();
    }

    fn grow(&self) {
        if let Some(processor) = self.processors.grow() {
            self.idle.add(processor);
        }
    }

    /// A turn of a holder, which finds nothing to run: gives the processor back unless it is due.
    fn turn(&self, mut processor: Box<Processor>) -> Option<Box<Processor>> {
        let is_due = self.processors.is_retirement_due() && processor.index() >= self.processors.regular();
        if !is_due {
            return Some(processor);
        }
        self.idle.count_out_of_play(&mut processor);
        if let Some(stays) = self.processors.take_out_of_play(processor) {
            self.idle.add(stays);
        }
        None
    }

    /// Starts a thread that has a turn with `processor`, and goes idle.
    fn turn_elsewhere(scene: &Arc<Self>, processor: Box<Processor>) -> thread::JoinHandle<()> {
        let scene = Arc::clone(scene);
        thread::spawn(move || {
            if let Some(kept) = scene.turn(processor) {
                scene.idle.give_up(kept, None);
            }
        })
    }

    /// All have gone idle: takes the rest that is due, as the watcher does, and looks which are
    /// left.
    fn assert_in_play(&self, expected: &[usize]) {
        self.take_due_from_idle();
        assert_eq!((self.processors.regular(), self.processors.spares()), (expected.len(), 0));
        assert!(!self.processors.is_retirement_due());
        let mut left: Vec<_> = std::iter::from_fn(|| self.idle.acquire()).map(|processor| processor.index()).collect();
        left.sort_unstable();
        assert_eq!(left, expected, "those with the lowest indices are in play");
    }
}

/// A holder has a turn, and goes idle, while the runtime shrinks: the processor is found by one of
/// them, or by the watcher.
#[test]
fn a_processor_that_is_due_goes_once() {
    explore(3, || {
        let (scene, mut held) = Scene::new(3);
        let (second, first) = (held.pop(), held.pop());
        let holder = Scene::turn_elsewhere(&scene, second.expect("there are two"));
        scene.shrink();
        let first = scene.turn(first.expect("there are two")).expect("it is regular");
        scene.idle.give_up(first, None);
        holder.join().expect("it does not panic");
        scene.assert_in_play(&[0]);
    });
}

/// The runtime shrinks and grows again beside a holder that may have seen either.
#[test]
fn a_processor_comes_back_or_stays() {
    // With room for none but the two, a third can not be made instead.
    [2, 3].into_iter().for_each(model_of_a_processor_that_stays);
}

fn model_of_a_processor_that_stays(room: usize) {
    explore(3, move || {
        let (scene, mut held) = Scene::new(room);
        let (second, first) = (held.pop(), held.pop());
        let holder = Scene::turn_elsewhere(&scene, second.expect("there are two"));
        scene.shrink();
        scene.grow();
        scene.idle.give_up(first.expect("there are two"), None);
        holder.join().expect("it does not panic");
        scene.assert_in_play(&[0, 1]);
    });
}

/// A processor that is made while the runtime ends takes no timers: the one thread closes its
/// queue, or the other.
#[test]
fn a_processor_that_comes_at_the_end_takes_no_timers() {
    explore(3, || {
        let (scene, _held) = Scene::new(3);
        let grows = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.grow())
        };
        scene.processors.shut_timers_down(&mut Vec::new());
        grows.join().expect("it does not panic");
        for processor in scene.processors.all() {
            let timer = TimerEntry::new();
            assert!(!processor.timers().arm(&timer, 1) && timer.is_cancelled());
        }
    });
}

/// A task is queued while the only processor is in a long poll, and the runtime grows: the
/// submitter finds the new one idle, or the resizing thread finds the task.
#[test]
fn a_processor_that_comes_meets_the_task_that_waits() {
    explore(3, || {
        let (scene, _held) = Scene::new(3);
        let (mut owner, thief) = ring::<u8>();
        let submitter = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || {
                assert!(owner.push(NonNull::dangling()).is_ok());
                (scene.idle.submit(), owner)
            })
        };
        scene.grow();
        let by_resizer = if thief.is_empty() { None } else { scene.idle.submit() };
        let (by_submitter, _owner) = submitter.join().expect("it does not panic");
        let chosen = usize::from(by_resizer.is_some()) + usize::from(by_submitter.is_some());
        assert_eq!(chosen, 1, "one machine is sent");
    });
}

/// The processor that goes leaves a task while the other goes idle: the one finds that
/// idle, or the other finds the task when it looks again.
#[test]
fn a_processor_that_goes_leaves_its_task_to_others() {
    explore(3, || {
        let (scene, mut held) = Scene::new(3);
        let (second, first) = (held.pop(), held.pop());
        let injected = Arc::new(AtomicUsize::new(0));
        let goes = {
            let (scene, injected) = (Arc::clone(&scene), Arc::clone(&injected));
            thread::spawn(move || {
                let second = second.expect("there are two");
                // As in `give_up`: its task is in the injector before it is off the count.
                injected.store(1, Relaxed);
                match scene.turn(second) {
                    Some(kept) => Some(kept),
                    None => scene.idle.submit().map(|chosen| chosen.processor),
                }
            })
        };
        scene.shrink();
        scene.idle.give_up(first.expect("there are two"), None);
        let comes_back = if injected.load(Relaxed) > 0 { scene.idle.submit() } else { None };
        let by_other = goes.join().expect("it does not panic");
        assert!(comes_back.is_some() || by_other.is_some(), "the task waits beside an idle processor");
    });
}
