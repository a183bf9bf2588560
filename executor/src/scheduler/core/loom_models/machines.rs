//! Machines as they live: they find and run work, retire, sleep on their parkers, and are woken. A
//! machine that slept beside work would sleep forever, which loom reports as a deadlock.

use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize as Tally;
use std::sync::atomic::Ordering::Relaxed as Counting;

use super::explore;
use crate::scheduler::core::idle::{Chosen, Idle, Resume};
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::processors::Processors;
use crate::scheduler::core::queue::{RingOwner, RingThief, ring};
use crate::util::sync::atomic::Ordering::{AcqRel, Relaxed};
use crate::util::sync::atomic::{AtomicBool, AtomicUsize};
use crate::util::sync::{Arc, thread};

/// A runtime in small: one ring that is filled from outside, machines that rob it, and an end when
/// all tasks have run.
struct Scene {
    idle: Idle,
    victim: RingThief<u8>,
    /// Tasks that have yet to run.
    left: AtomicUsize,
    is_over: AtomicBool,
}

impl Scene {
    fn new(tasks: usize, processors: usize) -> (Arc<Self>, RingOwner<u8>) {
        let (owner, victim) = ring();
        let scene = Self {
            idle: Idle::new(processors, processors),
            victim,
            left: AtomicUsize::new(tasks),
            is_over: AtomicBool::new(false),
        };
        (Arc::new(scene), owner)
    }

    fn submit(&self, owner: &mut RingOwner<u8>) {
        assert!(owner.push(NonNull::dangling()).is_ok());
        self.wake_one();
    }

    fn wake_one(&self) {
        if let Some(Chosen { processor, machine }) = self.idle.submit() {
            let machine = machine.expect("there are as many machines as processors");
            machine.deliver(processor);
            let _ = machine.parker().unpark();
        }
    }

    /// The life of a machine's thread, from its first processor to the end.
    fn serve(&self, mut own: Box<Processor>, machine: &Arc<Machine>, tally: &Cases) {
        machine.parker().adopt_current_thread();
        while !self.is_over.load(Relaxed) {
            if self.find() {
                self.run(&mut own);
                continue;
            }
            match self.rest(own, machine, tally) {
                Some(processor) => own = processor,
                None => return,
            }
        }
    }

    fn find(&self) -> bool {
        let (mut own, _) = ring();
        self.victim.steal_into(&mut own) == 1
    }

    fn run(&self, own: &mut Processor) {
        if own.is_searching() {
            own.set_searching(false);
            if self.idle.stop_searching() && !self.victim.is_empty() {
                self.wake_one();
            }
        }
        if self.left.fetch_sub(1, AcqRel) == 1 {
            self.end();
        }
    }

    fn end(&self) {
        // The lock on the list orders this: a machine that comes on it later has seen it, one that
        // is on it is woken.
        self.is_over.store(true, Relaxed);
        for machine in self.idle.everyone() {
            let _ = machine.parker().unpark();
        }
    }

    /// Retires, looks again, and sleeps until it is chosen, which gives a processor, or all is
    /// over.
    fn rest(&self, own: Box<Processor>, machine: &Arc<Machine>, tally: &Cases) -> Option<Box<Processor>> {
        self.idle.retire(own, machine);
        if !self.victim.is_empty() {
            match self.idle.resume(machine) {
                Resume::With(processor) => {
                    tally.resumed.fetch_add(1, Counting);
                    return Some(processor);
                }
                Resume::Chosen => {
                    tally.chosen.fetch_add(1, Counting);
                }
                Resume::NoneIdle => {}
            }
        }
        while !self.is_over.load(Relaxed) {
            if let Some(processor) = machine.collect() {
                return Some(processor);
            }
            tally.slept.fetch_add(1, Counting);
            machine.parker().park();
        }
        None
    }
}

/// How often a model took the rarer turns of the protocol.
struct Cases {
    resumed: Tally,
    chosen: Tally,
    slept: Tally,
}

impl Cases {
    const fn new() -> Self {
        Self { resumed: Tally::new(0), chosen: Tally::new(0), slept: Tally::new(0) }
    }

    fn assert_all_met(&self) {
        let met = [&self.resumed, &self.chosen, &self.slept].map(|tally| tally.load(Counting) > 0);
        assert_eq!(met, [true; 3], "resumed, chosen while resuming, slept");
    }
}

#[test]
fn one_machine_sleeps_only_while_there_is_nothing_to_do() {
    static CASES: Cases = Cases::new();
    explore(3, || {
        let (scene, mut owner) = Scene::new(2, 1);
        let (_, mut held) = Processors::new(1, 1);
        let machine = {
            let scene = Arc::clone(&scene);
            let processor = held.pop().expect("there is one");
            thread::spawn(move || scene.serve(processor, &Machine::new(), &CASES))
        };
        scene.submit(&mut owner);
        scene.submit(&mut owner);
        machine.join().expect("the machine ends in good order");
        assert_eq!(scene.left.load(Relaxed), 0);
    });
    CASES.assert_all_met();
}

#[test]
fn two_machines_run_everything_and_then_sleep() {
    static CASES: Cases = Cases::new();
    explore(2, || {
        let (scene, mut owner) = Scene::new(2, 2);
        let (_, held) = Processors::new(2, 2);
        let machines: Vec<_> = held
            .into_iter()
            .map(|processor| {
                let scene = Arc::clone(&scene);
                thread::spawn(move || scene.serve(processor, &Machine::new(), &CASES))
            })
            .collect();
        scene.submit(&mut owner);
        scene.submit(&mut owner);
        machines.into_iter().for_each(|machine| machine.join().expect("a machine ends in good order"));
        assert_eq!(scene.left.load(Relaxed), 0);
    });
    CASES.assert_all_met();
}

/// A machine that is chosen as it enters a hook of the user's: one side of the two takes the
/// processor off the searchers.
#[test]
fn a_machine_in_a_hook_leaves_the_search_once() {
    static BY_CHOOSER: Tally = Tally::new(0);
    static BY_MACHINE: Tally = Tally::new(0);
    explore(4, || {
        let idle = Idle::new(1, 1);
        let (_, mut held) = Processors::new(1, 1);
        idle.give_up(held.remove(0), None);
        let chosen = idle.wake_another().expect("one is idle").processor;
        let machine = Machine::new();
        let chooser = {
            let machine = Arc::clone(&machine);
            thread::spawn(move || {
                machine.deliver(chosen);
                machine.excuse_from_search()
            })
        };
        machine.set_in_hook(true);
        let by_machine = machine.excuse_from_search();
        let by_chooser = chooser.join().expect("it does not panic");
        assert!(by_machine ^ by_chooser, "counted among the searchers still, or taken off twice");
        assert!(!machine.collect().expect("it was left there").is_searching());
        (if by_machine { &BY_MACHINE } else { &BY_CHOOSER }).fetch_add(1, Counting);
    });
    assert!(BY_MACHINE.load(Counting) > 0 && BY_CHOOSER.load(Counting) > 0, "the model has not met both cases");
}
